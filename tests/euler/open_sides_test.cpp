// Open sides that meet walls at an angle, and how runs end.
#include <cmath>

#include "decks.hpp"

namespace {

using namespace euler_decks;

/// A channel that narrows from its first side on, but for [physics] and [time]: a reservoir, and a pressure outside.
std::string nozzle() {
  const fs::path file = folder() / "nozzle.geo";
  std::ofstream(file)
      << "Point(1) = {0, 0, 0};\nPoint(2) = {3, 0, 0};\nPoint(3) = {3, 0.8, 0};\nPoint(4) = {0, 1, 0};\n"
         "Line(1) = {1, 2};\nLine(2) = {2, 3};\nLine(3) = {3, 4};\nLine(4) = {4, 1};\n"
         "Curve Loop(1) = {1, 2, 3, 4};\nPlane Surface(1) = {1};\nPhysical Surface(\"gas\") = {1};\n"
         "Physical Curve(\"in\") = {4};\nPhysical Curve(\"out\") = {2};\n"
         "Physical Curve(\"walls\") = {1, 3};\n";
  return fmt::format("[mesh]\nfile = \"{}\"\nsize = 0.2\n", file.string()) + initial("1.2", "[50, 0]", "95000") +
         "[[boundary]]\non = [\"in\"]\ntype = \"reservoir\"\ntotal_pressure = 101325\ntotal_temperature = 300\n"
         "[[boundary]]\non = [\"out\"]\ntype = \"pressure_outflow\"\npressure = 90000\n"
         "[[boundary]]\non = [\"walls\"]\ntype = \"slip_wall\"\n"
         "[[quantity]]\nname = \"M\"\nkind = \"average\"\nof = \"Mach\"\non = [\"out\"]\n";
}

/// Where walls are not at right angles to the open sides the implicit march comes to the rest of the explicit one.
TEST(GasOpenSides, ThatMeetWallsAtAnAngleLetFlowsComeToRest) {
  const std::string low = euler + "limiter = \"none\"\n", steady = "[steady]\ntolerance = 1e-7\n";
  const nlohmann::json expected = run("nozzle_explicit", nozzle() + low + time_to(8000, "cfl = 0.9", "euler") + steady),
                       implicit =
                           run("nozzle_implicit", nozzle() + low + time_to(200, "cfl = 2", "backward_euler") + steady);
  for (const nlohmann::json& summary : {expected, implicit}) EXPECT_TRUE(summary["steady"]["converged"].get<bool>());
  EXPECT_LT(10 * implicit["steady"]["steps"].get<int>(), expected["steady"]["steps"].get<int>());
  EXPECT_NEAR(implicit["quantities"]["M"].get<double>(), expected["quantities"]["M"].get<double>(), 1e-5);
}

/// With monolithic limits as well, by six orders.
TEST(GasOpenSides, ANozzleWithLimitsComesToRest) {
  const nlohmann::json summary =
      run("nozzle_limited", nozzle() + euler + "mass = \"lumped\"\nrelaxed_bounds = false\n" +
                                time_to(600, "cfl = 2", "backward_euler") + "[steady]\ntolerance = 1e-6\n");
  EXPECT_TRUE(summary["steady"]["converged"].get<bool>()) << summary["steady"];
  EXPECT_EQ(summary["time"]["rejected"].get<int>(), 0);
}

/// A run does not end with a step that is what rounding has left of the others.
TEST(GasEnd, IsNoStepOfRounding) {
  const std::string tube = gas_box(1, 20, "interval") + initial("1.4", "[0]", "1") + walls;
  // Ten steps of 0.01 add up to less than 0.1.
  const nlohmann::json fixed = run("fixed", tube + euler + time_to(0.1, "step = 0.01"))["time"];
  EXPECT_EQ(fixed["steps"].get<int>(), 10);
  EXPECT_EQ(fixed["end"].get<double>(), 0.1);
  EXPECT_NEAR(fixed["dt_min"].get<double>(), 0.01, 1e-12);
  const nlohmann::json implicit = run("implicit", tube + euler + time_to(0.1, "step = 0.01", "backward_euler"))["time"];
  EXPECT_EQ(implicit["steps"].get<int>(), 10);
  // Chosen steps: the rest is shared by the last two.
  for (const char* end : {"0.1", "0.1000001", "0.123"}) {
    const nlohmann::json chosen =
        run("chosen", tube + euler + time_to(1, "cfl = 0.5"), fmt::format("--set time.end={}", end))["time"];
    EXPECT_EQ(chosen["end"].get<double>(), std::strtod(end, nullptr));
    EXPECT_GT(chosen["dt_min"].get<double>(), 0.49 * chosen["dt_max"].get<double>()) << end;
  }
}

}  // namespace
