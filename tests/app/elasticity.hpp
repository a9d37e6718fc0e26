#pragma once
// Decks of linear elasticity, run as a user does, for the tests of it.
#include <fmt/format.h>

#include <cmath>

#include "app/program.hpp"

namespace app_test {

/// What a run must end with, and its summary; on threads where the options name no backend.
inline nlohmann::json run_elastic(const std::string& name, const std::string& deck, const std::string& options = "",
                                  int code = 0) {
  const fs::path out = folder() / ("out_" + name);
  const char* const backend = options.find("--backend") == std::string::npos ? " --backend threads" : "";
  const Result result =
      app_test::tessera("run " + write_deck(name + ".toml", deck) + backend + " --threads 1 --set output.write=false " +
                        options + " --output " + out.string());
  EXPECT_EQ(result.code, code) << name << "\n" << result.text;
  return summary_in(out);
}

inline double value_of(const nlohmann::json& summary, const std::string& name) { return summary["quantities"][name]; }

inline std::string join(const std::vector<std::string>& parts, const char* between = ", ") {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : between) + part;
  return all;
}

/// ["a", "b"] of expressions.
inline std::string quoted(const std::vector<std::string>& expressions) {
  std::vector<std::string> all;
  for (const std::string& e : expressions) all.push_back("\"" + e + "\"");
  return "[" + join(all) + "]";
}

inline std::string numbers(const std::vector<double>& values) {
  std::vector<std::string> all;
  for (const double value : values) all.push_back(fmt::format("{}", value));
  return "[" + join(all) + "]";
}

inline std::string box_mesh(const std::string& shape, const std::vector<double>& max, const std::vector<int>& cells,
                            const std::vector<double>& min = {}, const std::string& more = "") {
  return fmt::format("[mesh]\nbox = {{ min = {}, max = {}, cells = [{}], shape = \"{}\" }}\n{}",
                     numbers(min.empty() ? std::vector<double>(max.size(), 0.0) : min), numbers(max),
                     fmt::join(cells, ", "), shape, more);
}

inline std::string file_mesh(const fs::path& file, const std::string& more = "") {
  return "[mesh]\nfile = \"" + file.string() + "\"\n" + more;
}

inline std::string elasticity(int order, const std::string& more = "") {
  return fmt::format("[physics]\ntype = \"elasticity\"\norder = {}\n{}", order, more);
}

inline std::string isotropic(const std::string& young, const std::string& poisson, const std::string& more = "") {
  return fmt::format("[[material]]\nyoung = \"{}\"\npoisson = \"{}\"\n{}", young, poisson, more);
}

inline std::string boundary(const std::string& on, const std::string& type, const std::string& keys = "") {
  return fmt::format("[[boundary]]\non = \"{}\"\ntype = \"{}\"\n{}{}", on, type, keys, keys.empty() ? "" : "\n");
}

inline std::string quantity(const std::string& name, const std::string& kind, const std::string& of,
                            const std::string& keys = "") {
  return fmt::format("[[quantity]]\nname = \"{}\"\nkind = \"{}\"\nof = \"{}\"\n{}{}", name, kind, of, keys,
                     keys.empty() ? "" : "\n");
}

/// The value at a point, named by what it is of.
inline std::string at(const std::string& of, const std::vector<double>& point, const std::string& name = "") {
  return quantity(name.empty() ? of : name, "value", of, "at = " + numbers(point));
}

/// The force that acts on the body through a group, "x" gives R_x.
inline std::string reaction(const std::string& axis, const std::string& on) {
  return quantity("R_" + axis + "_" + on, "reaction", "u_" + axis, "on = \"" + on + "\"");
}

/// The least and the largest of a field: "name.min" and "name.max".
inline std::string extremes(const std::string& of) {
  return quantity(of + ".min", "min", of) + quantity(of + ".max", "max", of);
}

inline std::string group(const std::string& name, const std::string& where, const std::string& of = "") {
  return fmt::format("[[group]]\nname = \"{}\"\n{}where = \"{}\"\n", name, of.empty() ? "" : "of = \"" + of + "\"\n",
                     where);
}

inline const std::string exactly = "[solver]\ntype = \"direct\"\ntolerance = 1e-12\n";
inline const std::string by_cg = "[solver]\ntype = \"cg\"\npreconditioner = \"ssor\"\ntolerance = 1e-13\n";

}  // namespace app_test
