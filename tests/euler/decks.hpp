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

/// A supersonic flow over a wedge of 15 degrees, but for [physics] and [time]; p and M behind the shock.
inline std::string wedge() {
  const fs::path file = folder() / "steady_wedge.geo";
  std::ofstream(file)
      << "Point(1) = {0, 0, 0};\nPoint(2) = {0.4, 0, 0};\nPoint(3) = {1.2, 0.2143593539, 0};\n"
         "Point(4) = {1.2, 1, 0};\nPoint(5) = {0, 1, 0};\nLine(1) = {1, 2};\nLine(2) = {2, 3};\nLine(3) = {3, 4};\n"
         "Line(4) = {4, 5};\nLine(5) = {5, 1};\nCurve Loop(1) = {1, 2, 3, 4, 5};\nPlane Surface(1) = {1};\n"
         "Physical Surface(\"gas\") = {1};\nPhysical Curve(\"in\") = {5};\nPhysical Curve(\"out\") = {3};\n"
         "Physical Curve(\"floor\") = {1};\nPhysical Curve(\"ramp\") = {2};\nPhysical Curve(\"lid\") = {4};\n";
  const std::string free = state("1.4", "[2.5, 0]", "1");
  return fmt::format("[mesh]\nfile = \"{}\"\nsize = 0.08\n", file.string()) + "[[initial]]\n" + free +
         "[[boundary]]\non = [\"in\"]\ntype = \"inflow\"\n" + free +
         "[[boundary]]\non = [\"out\"]\ntype = \"outflow\"\n"
         "[[boundary]]\non = [\"floor\", \"ramp\"]\ntype = \"slip_wall\"\n"
         "[[boundary]]\non = [\"lid\"]\ntype = \"symmetry\"\n"
         "[[quantity]]\nname = \"p\"\nkind = \"value\"\nof = \"pressure\"\nat = [0.9, 0.2]\n"
         "[[quantity]]\nname = \"M\"\nkind = \"value\"\nof = \"Mach\"\nat = [0.9, 0.2]\n";
}

/// NACA 0012 at Mach 0.8 on few nodes, but for [physics] and [time]; its lift.
inline std::string coarse_profile() {
  std::string geometry = bytes_of(source() / "inputs/meshes/naca0012.geo");
  for (const auto& [from, to] :
       {std::pair{"n = 60;", "n = 16;"}, {"h = 0.016;", "h = 0.1;"}, {"radius = 20;", "radius = 6;"}})
    geometry.replace(geometry.find(from), std::string(from).size(), to);
  const fs::path file = folder() / "profile.geo";
  std::ofstream(file) << geometry;
  const std::string free = state("1.4", "[0.8, 0.0175]", "1");
  return fmt::format("[mesh]\nfile = \"{}\"\n", file.string()) + "[[initial]]\n" + free +
         "[[boundary]]\non = [\"wing\"]\ntype = \"slip_wall\"\n[[boundary]]\non = [\"far\"]\ntype = "
         "\"far_field\"\n" +
         free + "[reference]\ndensity = 1.4\npressure = 1\nspeed = 0.8\nangle = 1.25\n" +
         "[[quantity]]\nname = \"cl\"\nkind = \"lift_coefficient\"\non = [\"wing\"]\n";
}

/// The summary of a run that must end well.
inline nlohmann::json run(const std::string& name, const std::string& deck, const std::string& options = "") {
  const fs::path out = folder() / name;
  const Result result = app_test::tessera("run " + write_deck(name + ".toml", deck) +
                                          " --quiet --backend threads --output " + out.string() + " " + options);
  EXPECT_EQ(result.code, 0) << name << "\n" << deck << result.text;
  return result.code == 0 ? summary_in(out) : nlohmann::json(nlohmann::json::value_t::discarded);
}

/// The table of probes of a deck's file on a backend, in a folder of that name.
inline fs::path probes_of(const std::string& deck_file, const std::string& backend, const std::string& name) {
  const fs::path out = folder() / name;
  const Result result =
      app_test::tessera("run " + deck_file + " --quiet --backend " + backend + " --output " + out.string());
  EXPECT_EQ(result.code, 0) << result.text;
  return out / "probes.csv";
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
