#pragma once
// Decks of waves, run as a user does.
#include <fmt/format.h>

#include <cmath>

#include "app/program.hpp"

namespace wave_test {

using namespace app_test;

inline std::string box(int dim, int cells) {
  const char* const corners = dim == 2 ? "min = [0,0], max = [1,1]" : "min = [0,0,0], max = [1,1,1]";
  return fmt::format("[mesh]\nbox = {{ {}, cells = [{}{}], shape = \"{}\" }}\n", corners, fmt::format("{0},{0}", cells),
                     dim == 3 ? fmt::format(",{}", cells) : "", dim == 2 ? "quad" : "hex");
}

/// The unit square or cube in quads or hexes that Gmsh made of triangles, or recombined; each `refine` halves them.
inline std::string irregular(int dim, int refine, double size = 0.7) {
  const fs::path file = folder() / fmt::format("irregular_{}_{}.geo", dim, size);
  if (!fs::exists(file))
    std::ofstream(file) << fmt::format(
        "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {{0, 0, 0, 1, 1}};\nPoint(10) = {{0.37, 0.44, 0, {0}}};\n"
        "Point{{10}} In Surface{{1}};\nMesh.RecombinationAlgorithm = 3;\nMesh.RecombineAll = 1;\n"
        "Mesh.SubdivisionAlgorithm = 1;\n{1}Mesh.MeshSizeMax = {0};\nMesh.MeshSizeMin = {0};\n",
        size,
        dim == 3 ? "Extrude {0, 0, 1} { Surface{1}; Layers{1}; Recombine; }\nPhysical Volume(\"all\") = {1};\n"
                 : "Physical Surface(\"all\") = {1};\n");
  return fmt::format("[mesh]\nfile = \"{}\"\nrefine = {}\n", file.string(), refine);
}

inline std::string physics(const std::string& medium, int degree) {
  return fmt::format("[physics]\ntype = \"wave\"\nmedium = \"{}\"\norder = {}\n", medium, degree);
}
inline std::string time_to(double end, const std::string& step, const std::string& scheme = "newmark") {
  return fmt::format("[time]\nend = {}\n{}\nscheme = \"{}\"\n", end, step, scheme);
}

inline std::string group(const std::string& name, const std::string& of, const std::string& where) {
  return fmt::format("[[group]]\nname = \"{}\"\nof = \"{}\"\nwhere = \"{}\"\n", name, of, where);
}
inline std::string pml(const std::string& sides, const std::string& more = "") {
  return "[[boundary]]\non = [" + sides + "]\ntype = \"pml\"\n" + more;
}
inline std::string probe(const std::string& name, const std::string& at, const std::string& of) {
  return fmt::format("[[probe]]\nname = \"{}\"\nat = [{}]\nof = \"{}\"\n", name, at, of);
}

/// A standing wave with an exact solution, in a body with free sides (of pressures, rigid walls).
struct Standing {
  std::string medium, material, field, start, exact;
};
inline Standing standing_pressure(int dim) {
  const std::string shape = dim == 2 ? "cos(pi*x)*cos(2*pi*y)" : "cos(pi*x)*cos(pi*y)*cos(pi*z)";
  return {"acoustic", "[[material]]\ndensity = \"2\"\nvp = \"1.5\"\n", "p", "\"" + shape + "\"",
          fmt::format("\"{}*cos(1.5*pi*t*sqrt({}))\"", shape, dim == 2 ? 5 : 3)};
}
/// Lame's modes: without divergence, and without traction on the sides of the square.
inline Standing standing_shear(int dim) {
  const std::string z = dim == 3 ? ", \"0\"" : "";
  const auto with = [&](const std::string& factor) {
    return fmt::format("[\"cos(pi*x)*sin(pi*y){0}\", \"-sin(pi*x)*cos(pi*y){0}\"{1}]", factor, z);
  };
  return {"elastic", "[[material]]\ndensity = \"2\"\nvp = \"2\"\nvs = \"1\"\n", "u", with(""),
          with("*cos(sqrt(2)*pi*t)")};
}
inline std::string deck_of(const Standing& wave, const std::string& mesh, int degree, const std::string& time) {
  return mesh + physics(wave.medium, degree) + wave.material + "[[initial]]\n" + wave.field + " = " + wave.start +
         "\n[exact]\n" + wave.field + " = " + wave.exact + "\n" + time;
}

/// The summary of a run that must end well.
inline nlohmann::json run(const std::string& name, const std::string& deck, const std::string& options = "") {
  const fs::path out = folder() / name;
  const Result result = app_test::tessera("run " + write_deck(name + ".toml", deck) +
                                          " --quiet --backend threads --output " + out.string() + " " + options);
  EXPECT_EQ(result.code, 0) << name << "\n" << deck << result.text;
  return result.code == 0 ? summary_in(out) : nlohmann::json(nlohmann::json::value_t::discarded);
}

/// That of a deck of inputs/verification as it stands.
inline nlohmann::json verify(const std::string& name) {
  const Result result =
      app_test::tessera("run " + (source() / "inputs/verification" / (name + ".toml")).string() +
                        " --quiet --backend threads --set output.write=false --output " + (folder() / name).string());
  EXPECT_EQ(result.code, 0) << name << "\n" << result.text;
  return result.code == 0 ? summary_in(folder() / name) : nlohmann::json(nlohmann::json::value_t::discarded);
}

inline double l2_error(const std::string& deck, const std::string& field, const std::string& name = "wave") {
  const nlohmann::json summary = run(name, deck, "--set output.formats='[]'");
  if (summary.is_discarded()) return NAN;
  return summary["errors"][field]["l2"];
}

/// Columns of a table of a run, but for its header.
inline std::vector<std::vector<double>> table(const fs::path& file) {
  std::ifstream stream(file);
  std::vector<std::vector<double>> rows;
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    std::vector<double> row;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t comma = std::min(line.find(',', at), line.size());
      row.push_back(std::stod(line.substr(at, comma - at)));
      at = comma + 1;
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace wave_test
