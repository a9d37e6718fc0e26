#pragma once
// Layers in contact, as a user has them.
#include <cmath>

#include "app/balance.hpp"
#include "app/transient.hpp"

namespace app_test::in_contact {

/// Two rectangles that lie on each other along y = 1, with points of their own: n intervals on the lower sides, m on
/// the upper ones, the upper one moved by `gap`.
inline std::string two_rectangles(int n, int m, const std::string& more = "", double gap = 0) {
  const auto rectangle = [&](int first, double from, double to, int cells, const char* name) {
    return fmt::format(
        "Point({0}) = {{0, {4}, 0}}; Point({1}) = {{1, {4}, 0}}; Point({2}) = {{1, {5}, 0}}; Point({3}) = {{0, {5}, "
        "0}};\nLine({0}) = {{{0}, {1}}}; Line({1}) = {{{1}, {2}}}; Line({2}) = {{{2}, {3}}}; Line({3}) = {{{3}, "
        "{0}}};\nCurve Loop({0}) = {{{0}, {1}, {2}, {3}}}; Plane Surface({0}) = {{{0}}};\n"
        "Transfinite Curve {{{0}, {1}, {2}, {3}}} = {6} + 1;\nPhysical Curve(\"{7}_bottom\") = {{{0}}};\n"
        "Physical Curve(\"{7}_top\") = {{{2}}};\nPhysical Surface(\"{7}\") = {{{0}}};\n",
        first, first + 1, first + 2, first + 3, from, to, cells, name);
  };
  return rectangle(1, 0, 1, n, "lower") + rectangle(11, 1 + gap, 2 + gap, m, "upper") + more;
}

/// Two boxes on each other, of tetrahedra, or with `hexes` of hexahedra.
inline std::string two_boxes(int n, int m, bool hexes) {
  std::string text = "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\nBox(2) = {0, 0, 1, 1, 1, 1};\n";
  text += fmt::format(
      "lower[] = Boundary{{ Surface{{1, 2, 3, 4, 5, 6}}; }};\nTransfinite Curve {{1 : 12}} = {} + 1;\n"
      "Transfinite Curve {{13 : 24}} = {} + 1;\n",
      n, m);
  if (hexes) text += "Transfinite Surface {1 : 12};\nRecombine Surface {1 : 12};\nTransfinite Volume {1, 2};\n";
  return text +
         "Physical Surface(\"lower_bottom\") = {5};\nPhysical Surface(\"lower_top\") = {6};\n"
         "Physical Surface(\"upper_bottom\") = {11};\nPhysical Surface(\"upper_top\") = {12};\n"
         "Physical Volume(\"lower\") = {1};\nPhysical Volume(\"upper\") = {2};\n";
}

inline std::string material(const std::string& on, const std::string& key, double value) {
  return fmt::format("[[material]]\non = \"{}\"\n{} = \"{}\"\n", on, key, value);
}
inline std::string boundary(const std::string& on, const std::string& type, const std::string& rest) {
  return fmt::format("[[boundary]]\non = {}\ntype = \"{}\"\n{}\n", on, type, rest);
}
inline std::string contact(const std::string& h = "\"2\"",
                           const std::string& on = "[\"lower_top\", \"upper_bottom\"]") {
  return boundary(on, "contact", "conductance = " + h);
}
inline std::string mesh_file(const std::string& name, const std::string& text, const std::string& more = "") {
  return "[mesh]\nfile = \"" + fs::path(write_deck(name, text)).filename().string() + "\"\n" + more;
}
inline std::string poisson(int order) { return fmt::format("[physics]\ntype = \"poisson\"\norder = {}\n", order); }

/// Layers of thickness 1 with k = 1 and 4 between 0 and 10, contact 2: the resistances 1 + 1/2 + 1/4 carry 40/7, and u
/// jumps from 40/7 to 60/7.
inline const std::string layers = material("lower", "diffusivity", 1) + material("upper", "diffusivity", 4) +
                                  boundary("[\"lower_bottom\"]", "dirichlet", "value = \"0\"") +
                                  boundary("[\"upper_top\"]", "dirichlet", "value = \"10\"") + to_rounding;
inline std::string layers_exact(const std::string& y) {
  return fmt::format("[exact]\nu = \"{0} < 1 ? 40/7*{0} : 60/7 + 10/7*({0} - 1)\"\n", y);
}
inline std::string side(const std::string& kind, const std::string& on) {
  return fmt::format("[[quantity]]\nname = \"{0}_{1}\"\nkind = \"{0}\"\non = \"{1}\"\n", kind, on);
}
inline const std::string quantities = side("flux", "lower_top") + side("flux", "upper_bottom") +
                                      side("max", "lower_top") + side("min", "lower_top") +
                                      side("average", "upper_bottom");

inline void expect_layers(const json& summary, const std::string& what) {
  EXPECT_LT(l2_error(summary), 1e-10) << what;
  EXPECT_NEAR(summary["quantities"]["flux_lower_top"], -40.0 / 7, 1e-9) << what;
  EXPECT_NEAR(summary["quantities"]["flux_upper_bottom"], 40.0 / 7, 1e-9) << what;
  EXPECT_NEAR(summary["quantities"]["max_lower_top"], 40.0 / 7, 1e-10) << what;
  EXPECT_NEAR(summary["quantities"]["min_lower_top"], 40.0 / 7, 1e-10) << what;
  EXPECT_NEAR(summary["quantities"]["average_upper_bottom"], 60.0 / 7, 1e-10) << what;
  expect_balance(summary, 1e-9, what);
}

}  // namespace app_test::in_contact
