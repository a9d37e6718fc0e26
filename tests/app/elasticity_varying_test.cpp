// Stresses of materials and temperatures that vary: their orders, and coefficients that are none at nodes.
#include "app/elasticity.hpp"
#include "support/orders.hpp"

namespace {

using namespace app_test;

/// u_x = sin x in bodies without lateral strain or stress: E = exp(x), alpha T = sin(2x) / 4, so
/// sigma_xx = exp(x) (cos x - sin(2x) / 4) and f = - d sigma_xx / dx.
double stress_at(double x) { return std::exp(x) * (std::cos(x) - 0.25 * std::sin(2 * x)); }

std::string graded(const std::string& shape, int order, int cells) {
  const int dim = shape == "interval" ? 1 : shape == "tet" || shape == "hex" ? 3 : 2;
  const std::string sides[] = {"\"left\"", "\"left\", \"bottom\", \"top\"",
                               "\"left\", \"bottom\", \"top\", \"back\", \"front\""};
  std::vector<std::string> force{"exp(x)*(sin(x) - cos(x) + 0.25*sin(2*x) + 0.5*cos(2*x))"},
      traction{fmt::format("{:.17g}", stress_at(1))}, heat{"0.25"};
  for (int d = 1; d < dim; ++d) force.emplace_back("0"), traction.emplace_back("0");
  std::string deck =
      box_mesh(shape, std::vector<double>(dim, 1.0),
               [&] {
                 std::vector<int> n(dim, shape == "interval" ? cells : 2);
                 n[0] = cells;
                 return n;
               }()) +
      elasticity(order) +
      isotropic("exp(x)", "0",
                "expansion = [0.25, 0, 0]\ntemperature = \"sin(2*x)\"\nbody_force = " + quoted(force) + "\n") +
      "[[boundary]]\non = [" + sides[dim - 1] + "]\ntype = \"symmetry\"\n" +
      boundary("right", "traction", "value = " + quoted(traction)) + exactly;
  for (int k = 0; k <= 4; ++k) {
    std::vector<double> point(dim, 0.5);
    point[0] = 0.25 * k;
    deck += at("stress_xx", point, fmt::format("s{}", k));
  }
  return deck;
}

double largest_error(const nlohmann::json& summary) {
  double most = 0;
  for (int k = 0; k <= 4; ++k)
    most = std::max(most, std::abs(summary["quantities"][fmt::format("s{}", k)].get<double>() - stress_at(0.25 * k)));
  return most;
}

class ElasticStress : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(ElasticStress, OfAGradedHotBodyIsOfTheOrderOfTheElement) {
  const auto& [shape, order] = GetParam();
  const int cells = shape == "tet" ? 4 : 8;
  const auto coarse = run_elastic("graded", graded(shape, order, cells)),
             fine = run_elastic("graded", graded(shape, order, 2 * cells));
  EXPECT_GT(::tessera::testing::observed_order(largest_error(coarse), largest_error(fine)), order - 0.15)
      << largest_error(coarse) << " " << largest_error(fine);
}

INSTANTIATE_TEST_SUITE_P(Orders, ElasticStress,
                         ::testing::Combine(::testing::Values("interval", "triangle", "quad", "tet", "hex"),
                                            ::testing::Values(1, 2, 3)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_P" + std::to_string(std::get<1>(info.param));
                         });

/// E = x is a modulus wherever the run looks, and none at x = 0.
TEST(ElasticVarying, AModulusThatVanishesAtNodesLosesNoRun) {
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex"})
    for (const int order : {1, 2}) {
      const bool bar = shape == std::string("interval"), solid = shape == std::string("tet") || shape[0] == 'h';
      const int dim = bar ? 1 : solid ? 3 : 2;
      std::vector<std::string> traction{"1"};
      for (int d = 1; d < dim; ++d) traction.emplace_back("0");
      const std::string sides = bar ? "\"left\"" : solid ? "\"left\", \"bottom\", \"back\"" : "\"left\", \"bottom\"";
      const auto summary = run_elastic(
          "vanishing", box_mesh(shape, std::vector<double>(dim, 1.0), std::vector<int>(dim, 3)) + elasticity(order) +
                           isotropic("x", "0") + "[[boundary]]\non = [" + sides + "]\ntype = \"symmetry\"\n" +
                           boundary("right", "traction", "value = " + quoted(traction)) + exactly +
                           extremes("stress_xx") + extremes("von_mises") + quantity("mean", "average", "stress_xx"));
      ASSERT_EQ(summary["status"], "ok") << shape << order;
      EXPECT_NEAR(value_of(summary, "mean"), 1, 0.05) << shape << order;
      // The displacement is ln x, which no element follows at x = 0: the stress is 1 but in the cells there.
      EXPECT_GT(value_of(summary, "stress_xx.min"), 0.3) << shape << order;
      EXPECT_LT(value_of(summary, "stress_xx.max"), 1.7) << shape << order;
    }
}

/// And a temperature that is infinite there.
TEST(ElasticVarying, ATemperatureThatIsInfiniteAtNodesGivesFiniteStresses) {
  for (const char* shape : {"triangle", "quad"})
    for (const char* temperature : {"1/x", "ln(x)"}) {
      const auto summary = run_elastic(
          "infinite", box_mesh(shape, {1, 1}, {4, 4}) + elasticity(2) +
                          isotropic("1", "0.3", fmt::format("expansion = 1e-3\ntemperature = \"{}\"\n", temperature)) +
                          boundary("left", "displacement", "value = [0, 0]") + exactly + extremes("stress_xx") +
                          extremes("von_mises"));
      ASSERT_EQ(summary["status"], "ok");
      for (const char* name : {"stress_xx.min", "stress_xx.max", "von_mises.max"}) {
        ASSERT_TRUE(summary["quantities"][name].is_number()) << name;
        EXPECT_LT(std::abs(value_of(summary, name)), 1) << name;
      }
    }
}

/// Two materials of one expression with its jump at sides of cells: each cell has its own.
TEST(ElasticVarying, AJumpBetweenCellsStaysBetweenThem) {
  const auto summary =
      run_elastic("jump", box_mesh("quad", {2, 1}, {4, 2}) + elasticity(2) +
                              "[[material]]\nyoung = \"x < 1 ? 1 : 1000\"\npoisson = 0\n" +
                              "[[boundary]]\non = [\"left\", \"bottom\"]\ntype = \"symmetry\"\n" +
                              boundary("right", "traction", "value = [1, 0]") + exactly + extremes("stress_xx"));
  EXPECT_NEAR(value_of(summary, "stress_xx.min"), 1, 1e-9);
  EXPECT_NEAR(value_of(summary, "stress_xx.max"), 1, 1e-9);
}

TEST(ElasticVarying, NumbersThatAreNotFiniteAreSaid) {
  const Result result =
      app_test::tessera("run " +
                        write_deck("huge.toml", box_mesh("quad", {1, 1}, {2, 2}) + elasticity(1) +
                                                    isotropic("1e200", "0.3", "expansion = 1\ntemperature = 1\n") +
                                                    boundary("left", "displacement", "value = [0, 0]") + exactly +
                                                    extremes("von_mises")) +
                        " --backend threads --output " + (folder() / "huge").string());
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("the field 'von_mises' is not finite at 9 nodes, the first at (")) << result.text;
  EXPECT_TRUE(result.says("the quantity 'von_mises.max' is not finite")) << result.text;
  EXPECT_EQ(summary_in(folder() / "huge")["warnings"].size(), 3u) << result.text;
}

}  // namespace
