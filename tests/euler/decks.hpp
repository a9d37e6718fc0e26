#pragma once
// Decks of gases, run as a user does.
#include <fmt/format.h>

#include <cmath>

#include "app/program.hpp"

namespace euler_decks {

using namespace app_test;

inline std::string gas_box(int dim, int cells, const std::string& shape) {
  const char* const corners[] = {"min = [0], max = [1]", "min = [0,0], max = [1,1]", "min = [0,0,0], max = [1,1,1]"};
  std::string counts = std::to_string(cells);
  for (int d = 1; d < dim; ++d) counts += fmt::format(",{}", cells);
  return fmt::format("[mesh]\nbox = {{ {}, cells = [{}], shape = \"{}\" }}\n", corners[dim - 1], counts, shape);
}
inline const std::string euler = "[physics]\ntype = \"euler\"\n";
inline const std::string walls = "[[boundary]]\non = [\"rest\"]\ntype = \"slip_wall\"\n";
inline std::string state(const std::string& density, const std::string& velocity, const std::string& pressure) {
  return fmt::format("density = \"{}\"\nvelocity = {}\npressure = \"{}\"\n", density, velocity, pressure);
}
inline std::string initial(const std::string& density, const std::string& velocity, const std::string& pressure) {
  return "[[initial]]\n" + state(density, velocity, pressure);
}
inline std::string time_to(double end, const std::string& step = "cfl = 0.5", const std::string& scheme = "ssp_rk3") {
  return fmt::format("[time]\nend = {}\n{}\nscheme = \"{}\"\n", end, step, scheme);
}
/// A bang in a closed box.
inline std::string bang(int dim, int cells, const std::string& shape, double end) {
  const char* const still[] = {"[\"0\"]", "[\"0\", \"0\"]", "[\"0\", \"0\", \"0\"]"};
  const char* const ball[] = {"(x-0.3)^2", "(x-0.3)^2 + (y-0.4)^2", "(x-0.3)^2 + (y-0.4)^2 + (z-0.4)^2"};
  return gas_box(dim, cells, shape) + euler +
         initial("1", still[dim - 1], fmt::format("0.1 + 9.9*({} < 0.04)", ball[dim - 1])) + walls + time_to(end);
}

/// The summary of a run that must end well.
inline nlohmann::json run(const std::string& name, const std::string& deck, const std::string& options = "") {
  const fs::path out = folder() / name;
  const Result result = app_test::tessera("run " + write_deck(name + ".toml", deck) +
                                          " --quiet --backend threads --output " + out.string() + " " + options);
  EXPECT_EQ(result.code, 0) << name << "\n" << deck << result.text;
  return result.code == 0 ? summary_in(out) : nlohmann::json(nlohmann::json::value_t::discarded);
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
      row.push_back(std::strtod(line.substr(at, comma - at).c_str(), nullptr));
      at = comma + 1;
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace euler_decks
