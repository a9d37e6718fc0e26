#pragma once
// Decks of poisson whose coefficients depend on the solution, run as a user does.
#include <fmt/format.h>

#include <cmath>

#include "app/program.hpp"

namespace app_test {

inline std::string box_of(const std::string& shape, int dim, int cells) {
  std::string count, max;
  for (int d = 0; d < dim; ++d) count += fmt::format("{}{}", d ? ", " : "", cells), max += d ? ", 1" : "1";
  return fmt::format("[mesh]\nbox = {{ max = [{}], cells = [{}], shape = \"{}\" }}\n", max, count, shape);
}
inline std::string poisson_of(int order) { return fmt::format("[physics]\ntype = \"poisson\"\norder = {}\n", order); }

/// All sides of a box.
inline std::string all_sides(int dim) {
  return dim == 1   ? "[\"left\", \"right\"]"
         : dim == 2 ? "[\"left\", \"right\", \"bottom\", \"top\"]"
                    : "[\"left\", \"right\", \"bottom\", \"top\", \"back\", \"front\"]";
}
inline std::string dirichlet_on(const std::string& on, const std::string& value) {
  return fmt::format("[[boundary]]\non = {}\ntype = \"dirichlet\"\nvalue = \"{}\"\n", on, value);
}

/// The summary of a run that must end with `code`.
inline nlohmann::json run_nonlinear(const std::string& name, const std::string& deck, const std::string& options = "",
                                    int code = 0) {
  const fs::path out = folder() / ("out_" + name);
  const Result result =
      app_test::tessera("run " + write_deck(name + ".toml", deck) + " --quiet --set output.write=false " +
                        (options.find("--backend") == std::string::npos ? "--backend threads " : "") + options +
                        " --output " + out.string());
  EXPECT_EQ(result.code, code) << name << "\n" << result.text;
  return summary_in(out);
}

}  // namespace app_test
