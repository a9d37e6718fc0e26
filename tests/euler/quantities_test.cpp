// Coefficients, total pressures and tables along walls, against values that are known.
#include <cmath>

#include "app/ranks.hpp"
#include "decks.hpp"

namespace {

using namespace euler_decks;

const double degree = std::acos(-1.0) / 180;

std::string reference(double density, double pressure, double speed, const std::string& rest = "") {
  return fmt::format("[reference]\ndensity = {}\npressure = {}\nspeed = {}\n{}", density, pressure, speed, rest);
}
std::string quantity(const std::string& kind, const std::string& rest) {
  return fmt::format("[[quantity]]\nname = \"{0}\"\nkind = \"{0}\"\n{1}", kind, rest);
}
const std::string all_sides = "on = [\"left\", \"right\", \"bottom\", \"top\"]\n";
std::string coefficients(const std::string& on) {
  return quantity("drag_coefficient", on) + quantity("lift_coefficient", on) + quantity("moment_coefficient", on);
}
/// So short that the first state is the last one.
const std::string at_once = time_to(1e-13);

/// Of what is at rest at one pressure nothing acts on the whole of its sides, wherever the moment is taken about.
TEST(GasQuantities, OfOnePressureAClosedSurfaceHasNoForce) {
  for (const char* shape : {"triangle", "quad"}) {
    const nlohmann::json q =
        run("uniform", gas_box(2, 5, shape) + euler + initial("1", "[\"0\", \"0\"]", "7") + walls + at_once +
                           reference(1, 3, 2, "centre = [0.2, 5]\n") + coefficients(all_sides))["quantities"];
    for (const auto& [name, value] : q.items()) EXPECT_NEAR(value.get<double>(), 0, 1e-13) << shape << name;
  }
}

/// Of p = 3 + 2x - y the force on the sides of the unit square is its gradient, as Archimedes says, and its moment
/// about c is that of the gradient at the middle.
TEST(GasQuantities, OfALinearPressureCoefficientsAreThoseOfArchimedes) {
  const double angle = 30, speed = 2, length = 0.5, q_inf = 0.5 * 1.5 * speed * speed;
  const double force[2] = {2, -1}, centre[2] = {0.1, 0.3};
  const double moment = (0.5 - centre[0]) * force[1] - (0.5 - centre[1]) * force[0];
  const double drag = force[0] * std::cos(angle * degree) + force[1] * std::sin(angle * degree);
  const double lift = force[1] * std::cos(angle * degree) - force[0] * std::sin(angle * degree);
  for (const char* shape : {"triangle", "quad"}) {
    const nlohmann::json q =
        run("linear", gas_box(2, 6, shape) + euler + initial("1", "[\"0\", \"0\"]", "3 + 2*x - y") + walls + at_once +
                          reference(1.5, 0.7, speed, "angle = 30\nlength = 0.5\ncentre = [0.1, 0.3]\n") +
                          coefficients(all_sides))["quantities"];
    EXPECT_NEAR(q["drag_coefficient"].get<double>(), drag / (q_inf * length), 1e-11) << shape;
    EXPECT_NEAR(q["lift_coefficient"].get<double>(), lift / (q_inf * length), 1e-11) << shape;
    EXPECT_NEAR(q["moment_coefficient"].get<double>(), -moment / (q_inf * length * length), 1e-11) << shape;
  }
  const std::string box = "on = [\"left\", \"right\", \"bottom\", \"top\", \"front\", \"back\"]\n";
  const nlohmann::json q =
      run("linear_3d", gas_box(3, 3, "hex") + euler + initial("1", "[\"0\", \"0\", \"0\"]", "3 + 2*x - y + z") + walls +
                           at_once + reference(1, 1, 2, "area = 4\n") + coefficients(box))["quantities"];
  EXPECT_NEAR(q["drag_coefficient"].get<double>(), 2.0 / 8, 1e-11);
  EXPECT_NEAR(q["lift_coefficient"].get<double>(), -1.0 / 8, 1e-11);
}

/// The pressure of the reference counts on an open surface: here that on the left side alone.
TEST(GasQuantities, ForcesOfCoefficientsAreAboveTheReference) {
  const nlohmann::json q =
      run("gauge", gas_box(2, 4, "quad") + euler + initial("1", "[\"0\", \"0\"]", "5") + walls + at_once +
                       reference(1, 3, 2) + quantity("drag_coefficient", "on = [\"left\"]\n"))["quantities"];
  EXPECT_NEAR(q["drag_coefficient"].get<double>(), -(5.0 - 3) / 2, 1e-12);
}

/// Rayleigh's formulas of rest: p_t = p (1 + (gamma - 1)/2 M^2)^(gamma / (gamma - 1)).
TEST(GasQuantities, TotalPressuresAndTheirLossesAreThoseOfTheFormula) {
  const std::string of = "[[quantity]]\nname = \"{0}\"\nkind = \"max\"\nof = \"{0}\"\n";
  std::string deck = gas_box(1, 4, "interval") + euler + initial("1.4", "[\"2\"]", "1") +
                     "[[boundary]]\non = [\"left\"]\ntype = \"inflow\"\n" + state("1.4", "[2]", "1") +
                     "[[boundary]]\non = [\"right\"]\ntype = \"outflow\"\n" + at_once + reference(1.4, 1.2, 3);
  for (const char* field : {"total_pressure", "total_pressure_loss", "pressure_coefficient"})
    deck += fmt::format(fmt::runtime(of), field);
  const nlohmann::json q = run("totals", deck)["quantities"];
  const double here = std::pow(1 + 0.2 * 4, 3.5), away = 1.2 * std::pow(1 + 0.2 * 9 / 1.2, 3.5);
  EXPECT_NEAR(q["total_pressure"].get<double>(), here, 1e-10);
  EXPECT_NEAR(q["total_pressure_loss"].get<double>(), 1 - here / away, 1e-10);
  EXPECT_NEAR(q["pressure_coefficient"].get<double>(), (1 - 1.2) / (0.5 * 1.4 * 9), 1e-12);
}

/// One row a node, in the order of places, with what the fields are there; on ranks the same table.
TEST(GasQuantities, ATableAlongSidesHasEachNodeOnceInOrder) {
  const std::string deck =
      gas_box(2, 4, "triangle") + euler + initial("1", "[\"0\", \"0\"]", "3 + 2*x - y") + walls + at_once +
      reference(1, 3, 2) +
      "[[surface]]\nname = \"sides\"\non = [\"bottom\", \"left\"]\nof = [\"pressure_coefficient\", "
      "\"velocity\"]\n[[surface]]\non = [\"top\"]\n";
  run("sides", deck);
  const auto rows = table(folder() / "sides" / "sides.csv");
  ASSERT_EQ(rows.size(), 9U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double x = i < 5 ? 0 : 0.25 * static_cast<double>(i - 4), y = i < 5 ? 0.25 * static_cast<double>(i) : 0;
    ASSERT_EQ(rows[i].size(), 6U);
    EXPECT_EQ(rows[i][0], x);
    EXPECT_EQ(rows[i][1], y);
    EXPECT_NEAR(rows[i][3], (2 * x - y) / 2, 1e-10);
  }
  EXPECT_EQ(bytes_of(folder() / "sides" / "sides.csv").substr(0, 49),
            "x,y,z,pressure_coefficient,velocity_x,velocity_y\n");
  EXPECT_EQ(table(folder() / "sides" / "surface_2.csv").size(), 5U);
  SKIP_WITHOUT_MPI();
  const fs::path out = folder() / "sides_3";
  const Result result =
      on_ranks(3, "run " + write_deck("sides_3.toml", deck) + " --quiet --backend threads --output " + out.string());
  ASSERT_EQ(result.code, 0) << result.text;
  const auto several = table(out / "sides.csv");
  ASSERT_EQ(several.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[i].size(); ++k) EXPECT_NEAR(several[i][k], rows[i][k], 1e-9) << i << ' ' << k;
}

const std::string square = gas_box(2, 2, "triangle") + euler + initial("1", "[\"0\", \"0\"]", "1") + walls + at_once;

class GasQuantitiesRefused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(GasQuantitiesRefused, SaysWhatIsWrong) {
  const app_test::Case& wrong = GetParam();
  expect_says(app_test::tessera("run " + write_deck(std::string(wrong.name) + ".toml", wrong.deck) +
                                " --quiet --backend threads --output " + (folder() / "refused").string()),
              wrong);
}

INSTANTIATE_TEST_SUITE_P(
    Euler, GasQuantitiesRefused,
    ::testing::Values(
        app_test::Case{"no_reference",
                       square + quantity("lift_coefficient", all_sides),
                       2,
                       {"lift_coefficient needs the flow far away", "add [reference]", "no_reference.toml:"}},
        app_test::Case{"no_reference_of_field",
                       square + "[[line]]\nfrom = [0,0]\nto = [1,1]\nof = [\"total_pressure_loss\"]\n",
                       2,
                       {"total_pressure_loss needs the flow far away", "no_reference_of_field.toml:"}},
        app_test::Case{"on_nothing",
                       square + reference(1, 1, 1) + "[[quantity]]\nname = \"c\"\nkind = \"drag_coefficient\"\n",
                       2,
                       {"quantity 'c' is a force on nothing"}},
        app_test::Case{"in_one_dimension",
                       gas_box(1, 4, "interval") + euler + initial("1", "[\"0\"]", "1") + walls + at_once +
                           reference(1, 1, 1) + quantity("drag_coefficient", "on = [\"left\"]\n"),
                       2,
                       {"is drag_coefficient, and the mesh has 1 dimension"}},
        app_test::Case{"centre",
                       square + reference(1, 1, 1, "centre = [1]\n"),
                       2,
                       {"reference.centre has 1 number, and the mesh 2 dimensions"}},
        app_test::Case{"area", square + reference(1, 1, 1, "area = 1\n"), 2, {"reference.area is of three dimensions"}},
        app_test::Case{"speed", square + reference(1, 1, 0), 2, {"reference.speed", "speed.toml:"}},
        app_test::Case{
            "without_speed", square + "[reference]\ndensity = 1\npressure = 1\n", 2, {"speed", "without_speed.toml:"}},
        app_test::Case{"covolume",
                       square + "[gas]\ncovolume = 0.1\n" +
                           "[[quantity]]\nname = \"t\"\nkind = \"max\"\nof = \"total_pressure\"\n",
                       2,
                       {"total_pressure is that of a perfect gas"}},
        app_test::Case{
            "surface_of_nothing", square + "[[surface]]\non = []\n", 2, {"surface 'surface_1' names no group"}},
        app_test::Case{"unknown_group", square + "[[surface]]\non = [\"wing\"]\n", 3, {"'wing'"}},
        app_test::Case{"name",
                       square + "[[surface]]\nname = \"a/b\"\non = [\"left\"]\n",
                       2,
                       {"a name that is not that of a file"}},
        app_test::Case{
            "twice",
            square + "[[surface]]\nname = \"a\"\non = [\"left\"]\n[[surface]]\nname = \"a\"\non = [\"top\"]\n",
            2,
            {"surface 'a' has the name of another one"}},
        app_test::Case{"as_a_line",
                       square +
                           "[[surface]]\nname = \"a\"\non = [\"left\"]\n[[line]]\nname = \"a\"\nfrom = [0,0]\nto = "
                           "[1,1]\nof = [\"pressure\"]\n",
                       2,
                       {"surface 'a' has the name of a line"}}),
    [](const ::testing::TestParamInfo<app_test::Case>& info) { return std::string(info.param.name); });

/// A diamond a tenth as thick as long, at Mach 2: by oblique shocks and expansions its drag is 0.02320. Where the sum
/// of the normals at its sharp edges was that of the wall, the gas rested there and it had 0.0110 on this mesh.
TEST(GasQuantities, TheDragOfAThinDiamondIsNearlyThatOfTheory) {
  const fs::path file = folder() / "diamond.geo";
  std::ofstream(file) << "Point(1) = {0, 0, 0};\nPoint(2) = {0.5, -0.05, 0};\nPoint(3) = {1, 0, 0};\n"
                         "Point(4) = {0.5, 0.05, 0};\nLine(1) = {1, 2};\nLine(2) = {2, 3};\nLine(3) = {3, 4};\n"
                         "Line(4) = {4, 1};\nPoint(5) = {-0.5, -1, 0};\nPoint(6) = {2, -1, 0};\nPoint(7) = {2, 1, 0};\n"
                         "Point(8) = {-0.5, 1, 0};\nLine(5) = {5, 6};\nLine(6) = {6, 7};\nLine(7) = {7, 8};\n"
                         "Line(8) = {8, 5};\nCurve Loop(1) = {5 : 8};\nCurve Loop(2) = {1 : 4};\n"
                         "Plane Surface(1) = {1, 2};\nPhysical Surface(\"gas\") = {1};\n"
                         "Physical Curve(\"wing\") = {1 : 4};\nPhysical Curve(\"in\") = {8};\n"
                         "Physical Curve(\"out\") = {6};\nPhysical Curve(\"sides\") = {5, 7};\n";
  const std::string free = state("1.4", "[2, 0]", "1");
  const nlohmann::json summary =
      run("diamond", fmt::format("[mesh]\nfile = \"{}\"\nsize = 0.077\n", file.string()) + euler + "[[initial]]\n" +
                         free + "[[boundary]]\non = [\"in\"]\ntype = \"inflow\"\n" + free +
                         "[[boundary]]\non = [\"out\"]\ntype = \"outflow\"\n"
                         "[[boundary]]\non = [\"sides\", \"wing\"]\ntype = \"slip_wall\"\n" +
                         time_to(4, "cfl = 0.5", "erk33") +
                         "[reference]\ndensity = 1.4\npressure = 1\nspeed = 2\n"
                         "[[quantity]]\nname = \"cd\"\nkind = \"drag_coefficient\"\non = [\"wing\"]\n");
  EXPECT_NEAR(summary["quantities"]["cd"].get<double>(), 0.0232, 0.005);
}

}  // namespace
