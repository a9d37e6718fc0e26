#pragma once
// The unit square as a .msh file that is cut into parts: 8 x 4 squares of two triangles each.
#include <functional>

#include "app/ranks.hpp"

namespace app_test {

struct Parted {
  std::string version = "4.1";
  int parts = 2;
  bool none = false;  ///< the same file without its parts
  /// The part of a square by its column and row; left out: strips from left to right.
  std::function<int(int column, int row)> map = {};
};

inline int part_of(const Parted& file, int column, int row = 0) {
  return file.map ? file.map(column, row) : 1 + column * file.parts / 8;
}

inline std::string msh22(const Parted& file) {
  std::string text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 1 \"left\"\n1 2 \"right\"\n2 3 "
      "\"all\"\n$EndPhysicalNames\n$Nodes\n45\n";
  for (int j = 0; j <= 4; ++j)
    for (int i = 0; i <= 8; ++i) text += fmt::format("{} {} {} 0\n", 9 * j + i + 1, i / 8.0, j / 4.0);
  text += "$EndNodes\n$Elements\n72\n";
  int element = 0;
  const auto add = [&](int type, int physical, int entity, int part, std::vector<int> nodes) {
    const std::string parts = file.none ? "" : fmt::format(" 1 {}", part);
    text += fmt::format("{} {} {} {} {}{} {}\n", ++element, type, file.none ? 2 : 4, physical, entity, parts,
                        fmt::join(nodes, " "));
  };
  for (int j = 0; j < 4; ++j) {
    add(1, 1, 1, 1, {9 * j + 1, 9 * j + 10});
    add(1, 2, 2, file.parts, {9 * j + 9, 9 * j + 18});
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 8; ++i) {
      const int a = 9 * j + i + 1, b = a + 1, c = a + 10, d = a + 9;
      add(2, 3, 7, part_of(file, i, j), {a, b, c});
      add(2, 3, 7, part_of(file, i, j), {a, c, d});
    }
  return text + "$EndElements\n";
}

/// A deck on the file; its solution is smooth and not symmetric.
inline std::string deck_on_file(const std::string& name, const std::string& msh) {
  std::ofstream(folder() / name) << msh;
  return "[mesh]\nfile = \"" + name + "\"\nnumbering = \"file\"\npartition = \"file\"\n" + poisson_of(1) +
         "[[material]]\non = [\"all\"]\ndiffusivity = \"1 + x*y\"\nsource = 1\n" + dirichlet_on("[\"left\"]", "y") +
         "[[boundary]]\non = [\"right\"]\ntype = \"neumann\"\nvalue = 1\n" + "[solver]\ntolerance = 1e-14\n";
}

}  // namespace app_test
