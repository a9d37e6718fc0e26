#pragma once
// What sides send back: traces of a point source beside a side, less those of a mesh that goes on behind it, over the
// wave that reaches the mirrored place there.
#include "decks.hpp"

namespace wave_test::reflected {

inline std::string material_of(const std::string& medium) {
  return "[[material]]\ndensity = 1\n" + std::string(medium == "elastic" ? "vp = 2\nvs = 1\n"
                                                     : medium == "sh"    ? "vs = 1\n"
                                                                         : "vp = 1\n");
}
/// Squares of size 1 from `left` to 12.
inline std::string beside_side(int left, int height) {
  return fmt::format("[mesh]\nbox = {{ min = [{0},{1}], max = [12,{2}], cells = [{3},{4}], shape = \"quad\" }}\n", left,
                     -height, height, 12 - left, 2 * height);
}
inline std::string left_side(const std::string& type) {
  return "[[boundary]]\non = [\"left\"]\ntype = \"" + type + "\"\n";
}

struct Case {
  std::string medium;
  int component = 0;  ///< of the force
  int degree = 4;
  int layers = 3;
  std::string precision = "double";
  std::string material = {};  ///< and what goes with it; left empty: without loss, the same in all directions
};
inline const std::vector<double> angles{0, 30, 45, 60};

/// Of one mesh: receivers at the height of the source, 2 from the side, seen from its mirror image at these angles; and
/// their mirror images.
inline std::vector<std::vector<double>> traces(const Case& of, int left, const std::string& side) {
  const bool elastic = of.medium == "elastic";
  std::string deck = beside_side(left, elastic ? 18 : 12) + physics(of.medium, of.degree) +
                     (of.material.empty() ? material_of(of.medium) : of.material) + side;
  deck += "[run]\nprecision = \"" + of.precision + "\"\n[output]\nformats = []\n[[source]]\nat = [2, 0]\n";
  if (elastic) deck += of.component == 0 ? "force = [1, 0]\n" : "force = [0, 1]\n";
  deck += fmt::format("time_function = \"ricker\"\nfrequency = {}\ndelay = 4.8\n", 0.25);
  for (const double angle : angles)
    for (const double x : {2.0, -2.0})
      for (const char* name : {"x", "y"}) {
        if (!elastic && *name == 'y') continue;
        const std::string field = elastic ? std::string("u_") + name : of.medium == "sh" ? "u" : "p";
        const double at = x < 0 && left > -4 ? 2 : x;  // there is nothing there
        deck += probe(fmt::format("r{}_{}_{}", angle, x, name),
                      fmt::format("{}, {}", at, 4 * std::tan(angle * M_PI / 180)), field);
      }
  const double step = (elastic ? 0.03 : 0.06) * 16 / (of.degree * of.degree);
  run("reflections", deck + time_to(elastic ? 10 : 17, fmt::format("step = {}", step)));
  return table(folder() / "reflections" / "probes.csv");
}

/// In dB, by angle.
inline std::vector<double> reflections(const Case& of, int left, const std::string& side) {
  const auto whole = traces(of, -12, ""), cut = traces(of, left, side);
  EXPECT_EQ(whole.size(), cut.size());
  const std::size_t components = of.medium == "elastic" ? 2 : 1;
  std::vector<double> result;
  for (std::size_t k = 0; k < angles.size(); ++k) {
    double back = 0, came = 0;
    for (std::size_t i = 0; i < whole.size(); ++i)
      for (std::size_t c = 0; c < components; ++c) {
        const std::size_t here = 1 + 2 * components * k + c;
        back = std::max(back, std::abs(cut[i][here] - whole[i][here]));
        came = std::max(came, std::abs(whole[i][here + components]));
      }
    result.push_back(20 * std::log10(back / came));
  }
  return result;
}

}  // namespace wave_test::reflected
