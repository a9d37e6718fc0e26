// The decks of gases in inputs/verification/, on meshes that take seconds, against what their heads say.
#include <algorithm>
#include <cmath>

#include "decks.hpp"
#include "support/riemann.hpp"

namespace {

using namespace euler_decks;
using tessera::testing::GasState;
using tessera::testing::RiemannSolution;

/// The quantities of a deck that is run as it stands but for `options`.
nlohmann::json verify(const std::string& name, const std::string& options = "") {
  const fs::path out = folder() / name;
  const Result result =
      app_test::tessera("run " + (source() / "inputs/verification" / (name + ".toml")).string() +
                        " --quiet --backend threads --set output.write=false --output " + out.string() + " " + options);
  EXPECT_EQ(result.code, 0) << name << "\n" << result.text;
  return result.code == 0 ? summary_in(out)["quantities"] : nlohmann::json::object();
}

void expect_near(const nlohmann::json& quantities, const char* name, double value, double relative) {
  ASSERT_TRUE(quantities.contains(name)) << name;
  EXPECT_NEAR(quantities[name].get<double>(), value, relative * std::abs(value)) << name;
}

/// Where a column of a table of a line first comes from above `level` to below it, by s, x, y or z, from the end.
double last_crossing(const std::vector<std::vector<double>>& rows, std::size_t along, std::size_t column,
                     double level) {
  for (std::size_t i = rows.size() - 1; i > 0; --i) {
    const double here = rows[i][column], before = rows[i - 1][column];
    if (here < level && before >= level)
      return rows[i][along] + (level - here) / (before - here) * (rows[i - 1][along] - rows[i][along]);
  }
  return -1;
}

/// The L1 error of the density in the table of a tube, from a jump at x_0, over that of the first state.
double tube_error(const std::string& name, const GasState& left, const GasState& right, double x_0, double t,
                  double gamma) {
  const RiemannSolution exact(left, right, gamma);
  double error = 0, jump = 0;
  for (const std::vector<double>& row : table(folder() / name / "tube.csv")) {
    const double rho = exact.at((row[1] - x_0) / t).rho;
    error += std::abs(row[4] - rho);
    jump += std::abs((row[1] < x_0 ? left : right).rho - rho);
  }
  return error / jump;
}

TEST(GasVerification, TubesHaveTheStatesOfTheRiemannProblem) {
  const nlohmann::json lax = verify("gas_lax");
  expect_near(lax, "p_star", 2.466098, 5e-3);
  expect_near(lax, "v_star", 1.528723, 5e-3);
  expect_near(lax, "rho_left", 0.344568, 0.02);
  expect_near(lax, "rho_right", 1.304084, 0.02);
  EXPECT_LT(tube_error("gas_lax", {0.445, 0.698, 3.528}, {0.5, 0, 0.571}, 0.5, 0.13, 1.4), 0.05);
  const nlohmann::json leblanc = verify("gas_leblanc", "--set mesh.box.cells=[400]");
  expect_near(leblanc, "v_star", 0.621839, 0.02);
  expect_near(leblanc, "rho_right", 0.004, 0.1);
  EXPECT_LT(tube_error("gas_leblanc", {1, 0, 0.2 / 3}, {1e-3, 0, 2e-10 / 3}, 1.0 / 3, 2.0 / 3, 5.0 / 3), 0.05);
  const nlohmann::json fans = verify("gas_two_fans");
  // In the middle all schemes heat what little gas there is.
  EXPECT_GT(fans["rho_middle"].get<double>(), 0.5 * 0.0218521);
  EXPECT_LT(fans["p_middle"].get<double>(), 2 * 0.00189387);
  EXPECT_LT(tube_error("gas_two_fans", {1, -2, 0.4}, {1, 2, 0.4}, 0.5, 0.15, 1.4), 0.05);
  const nlohmann::json strong = verify("gas_strong_blast");
  expect_near(strong, "p_star", 460.8938, 5e-3);
  expect_near(strong, "v_star", 19.59745, 5e-3);
  expect_near(strong, "rho_right", 5.999241, 0.05);
  EXPECT_LT(tube_error("gas_strong_blast", {1, 0, 1000}, {1, 0, 0.01}, 0.5, 0.012, 1.4), 0.07);
}

TEST(GasVerification, AVortexKeepsTheDensityOfItsCentre) {
  const nlohmann::json q = verify("gas_vortex", "--set mesh.box.cells=[40,40]");
  expect_near(q, "rho_centre", 0.493807, 0.03);
  expect_near(q, "rho_min", 0.493807, 0.03);
}

TEST(GasVerification, AReflectedShockHasThreeStates) {
  const nlohmann::json q =
      verify("gas_regular_reflection", "--set mesh.box.cells=[62,15] --set time.end=4 --set time.cfl=0.9");
  expect_near(q, "rho_1", 1, 5e-3);
  expect_near(q, "rho_2", 1.699966, 0.01);
  expect_near(q, "p_2", 1.528194, 0.01);
  expect_near(q, "rho_3", 2.687247, 0.02);
  expect_near(q, "p_3", 2.934013, 0.02);
}

/// The foot of the Mach stem is found at half of the time and in the end: lengths grow with t.
TEST(GasVerification, ADoubleMachReflectionIsSelfSimilarBesideItsExactShock) {
  double feet[2] = {};
  for (const int k : {0, 1}) {
    const nlohmann::json q =
        verify("gas_double_mach",
               "--set mesh.box.cells=[96,24] --set time.cfl=0.9 --set time.end=" + std::string(k ? "0.2" : "0.1"));
    const auto wall = table(folder() / "gas_double_mach" / "wall.csv");
    feet[k] = last_crossing(wall, 1, 5, 10);
    if (k == 0) continue;
    expect_near(q, "rho_behind", 8, 0.01);
    expect_near(q, "p_behind", 116.5, 0.01);
    EXPECT_GT(q["rho_max"].get<double>(), 15);
    const auto above = table(folder() / "gas_double_mach" / "above.csv");
    EXPECT_NEAR(last_crossing(above, 1, 4, 4.7), 1.0 / 6 + 4.9 / std::sqrt(3.0), 0.03);
  }
  EXPECT_NEAR((feet[1] - 1.0 / 6) / (feet[0] - 1.0 / 6), 2, 0.06);
}

TEST(GasVerification, ACylinderHasThePressureOfRayleighAndTheShockOfBillig) {
  const nlohmann::json q = verify("gas_cylinder", "--set mesh.size=0.12 --set time.end=4");
  expect_near(q, "p_max", 12.06096, 0.02);
  const auto line = table(folder() / "gas_cylinder" / "stagnation.csv");
  // From the flow on the density rises through 2.5 times its value at the shock.
  double shock = 0;
  for (std::size_t i = 1; i < line.size() && shock == 0; ++i)
    if (line[i][4] > 2.5 * 1.4) shock = -1 - line[i][1];
  EXPECT_NEAR(shock, 0.6485, 0.06);
  const auto cp = table(folder() / "gas_cylinder" / "cp.csv");
  ASSERT_GT(cp.size(), 10U);
  EXPECT_NEAR(cp.front()[0], -1, 1e-9);  // by x: the nose comes first
  EXPECT_NEAR(cp.front()[3], (12.06096 - 1) / (0.7 * 9), 0.04);
  // Newton's modified law, cp = cp_0 cos^2, holds near the nose.
  for (const std::vector<double>& row : cp)
    if (row[0] < -0.8) {
      EXPECT_NEAR(row[3], cp.front()[3] * row[0] * row[0], 0.12) << row[0];
    }
}

TEST(GasVerification, NohsImplosionHasItsPlateau) {
  const nlohmann::json q = verify("gas_noh", "--set mesh.box.cells=[50,50] --set time.cfl=0.9");
  expect_near(q, "rho_plateau", 16, 0.11);
  expect_near(q, "p_plateau", 16.0 / 3, 0.11);
  expect_near(q, "rho_before", 1 + 0.6 / (0.3 * std::sqrt(2.0)), 0.02);
  const auto line = table(folder() / "gas_noh" / "diagonal.csv");
  EXPECT_NEAR(last_crossing(line, 0, 4, 10), 0.2, 0.02);
}

TEST(GasVerification, SedovsBlastIsWhereTheSimilaritySolutionSays) {
  const nlohmann::json q = verify("gas_sedov", "--set mesh.box.cells=[44,44] --set time.cfl=0.9");
  EXPECT_GT(q["rho_max"].get<double>(), 3);
  EXPECT_LT(q["rho_max"].get<double>(), 6.1);
  for (const char* name : {"along", "diagonal"}) {
    const auto line = table(folder() / "gas_sedov" / (std::string(name) + ".csv"));
    EXPECT_NEAR(last_crossing(line, 0, 4, 2), 0.75, 0.02) << name;
  }
}

}  // namespace
