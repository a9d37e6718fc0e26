// The balance of rows that are not those of plain elements on a mesh: finite differences, upwinding with periodic
// sides.
#include "app/balance.hpp"

#include <cmath>

#include "support/orders.hpp"

namespace {

using namespace app_test;
using ::tessera::testing::observed_order;

// --------------------------------------------------------------------------------------------------------- differences

/// -div(2 grad u) + v . grad u + c u = f with u = exp(-x) sin(2y) + 3.
std::string differences(const std::string& physics, const std::string& range, const std::string& shape,
                        const std::string& material, const std::string& boundaries, const std::string& solver) {
  return "[mesh]\nbox = { " + range + ", shape = \"" + shape + "\" }\n[physics]\ntype = \"" + physics +
         "\"\ndiscretisation = \"finite_difference\"\n[[material]]\ndiffusivity = 2\n" + material + boundaries +
         "[solver]\n" + solver + flux("left", "\"left\"");
}

std::string condition(const std::string& on, const std::string& type, const std::string& value) {
  return "[[boundary]]\non = " + on + "\ntype = \"" + type + "\"\nvalue = \"" + value + "\"\n";
}

TEST(Flux, OfDifferencesBalancesOnBoxesOfEveryDimension) {
  for (const auto& [range, shape, sides, more] :
       {std::tuple("min = [0], max = [1], cells = [7]", "interval", "[\"left\", \"right\"]", ""),
        {"min = [0, -1], max = [1, 1], cells = [6, 9]", "triangle", "[\"left\", \"right\", \"top\", \"bottom\"]",
         " + x*y"},
        {"min = [0, 0, 0], max = [1, 2, 1], cells = [4, 5, 3]", "hex", "\"rest\"", " + y - z"}})
    for (const char* c : {"", "reaction = 3\n"}) {
      const std::string deck =
          differences("poisson", range, shape, std::string(c) + "source = \"exp(x)" + more + "\"\n",
                      condition(sides, "dirichlet", std::string("1000 + x*x") + more), "tolerance = 1e-13\n");
      const json summary = run("differences", deck);
      expect_balance(summary, 1e-11, std::string(shape) + c);
      EXPECT_EQ(summary["balance"].contains("reaction"), *c != 0);
      if (std::string(sides) != "\"rest\"") {
        EXPECT_EQ(summary["balance"]["groups"]["left"], summary["quantities"]["left"]);
      }
    }
}

TEST(Flux, OfDifferencesBalancesWithNeumannSidesOutflowAndWind) {
  const std::string material = "velocity = [\"5 + y\", \"x - 2\"]\nsource = \"exp(x) + y\"\n";
  const std::string left = condition("\"left\"", "dirichlet", "2 + y*y"),
                    bottom = condition("\"bottom\"", "neumann", "1 + x*x"),
                    top = condition("\"top\"", "dirichlet", "x");
  for (const std::string& sides : {left, left + bottom, bottom + left + top,
                                   left + condition("[\"right\", \"bottom\", \"top\"]", "neumann", "sin(x) - y")})
    for (const char* solver :
         {"type = \"lu\"\n", "type = \"lsor\"\ntolerance = 1e-13\n", "type = \"gmres\"\ntolerance = 1e-13\n"})
      for (const char* c : {"", "reaction = 2\n"}) {
        if (*c && std::string(solver).find("lsor") != std::string::npos) continue;
        const json summary =
            run("sides", differences("convection_diffusion", "min = [0, 0], max = [1, 2], cells = [8, 11]", "quad",
                                     material + c, sides, solver));
        expect_balance(summary, 1e-10, sides + solver + c);
        EXPECT_TRUE(summary["balance"].contains("convection"));
        EXPECT_NE(summary["balance"]["groups"]["left"].get<double>(), 0);
      }
}

TEST(Flux, OfDifferencesIsOfSecondOrder) {
  const std::string u = "exp(-x)*sin(2*y) + 3", by_y = "4*exp(-x)*cos(2*y)";
  const std::string material =
      "velocity = [\"3+y\", \"-2\"]\nsource = \"6*exp(-x)*sin(2*y) - (3+y)*exp(-x)*sin(2*y) - 4*exp(-x)*cos(2*y)\"\n";
  const std::string neumann = condition("\"left\"", "dirichlet", u) + condition("\"top\"", "neumann", by_y) +
                              condition("\"bottom\"", "neumann", "-" + by_y) +
                              condition("\"right\"", "neumann", "-2*exp(-x)*sin(2*y)");
  const std::string all = condition("[\"left\", \"right\", \"bottom\", \"top\"]", "dirichlet", u);
  const double exact = -(1 - std::cos(2.0));  // out through the left: int 2 du/dx
  for (const std::string& sides : {neumann, all}) {
    double coarse = 0;
    for (const int n : {16, 32}) {
      const std::string cells = std::to_string(n);
      const json summary =
          run("order",
              differences("convection_diffusion", "min = [0, 0], max = [1, 1], cells = [" + cells + ", " + cells + "]",
                          "quad", material, sides, "type = \"lu\"\n"));
      const double error = std::abs(summary["quantities"]["left"].get<double>() - exact);
      if (coarse > 0) {
        EXPECT_GE(observed_order(coarse, error, 2), 1.8) << sides;
      }
      coarse = error;
    }
  }
}

// The source is infinite at nodes with Dirichlet values, which have no equation.
TEST(Flux, OfDifferencesWhoseSourceIsNoneOnASideIsFinite) {
  const json summary =
      run("infinite_source",
          differences("poisson", "min = [0, 0], max = [1, 1], cells = [8, 8]", "quad", "source = \"1/sqrt(x)\"\n",
                      condition("\"rest\"", "dirichlet", "0"), "tolerance = 1e-13\n"));
  expect_balance(summary, 1e-11, "infinite source");
  EXPECT_GT(summary["balance"]["source"].get<double>(), 1);
}

// ------------------------------------------------------------------------------------------ upwinding and periodic
// sides

TEST(Flux, OfUpwindingBalancesWithPeriodicSides) {
  const std::string x = "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"periodic\"\n";
  const std::string y = "[[boundary]]\non = [\"bottom\", \"top\"]\ntype = \"periodic\"\n";
  const std::string robin = "[[boundary]]\non = \"top\"\ntype = \"robin\"\nalpha = \"1 + x*(1-x)\"\nvalue = 3\n";
  for (const char* shape : {"triangle", "quad"})
    for (const std::string& sides : {x + condition("\"bottom\"", "dirichlet", "sin(2*pi*x)") + robin,
                                     x + condition("\"bottom\"", "neumann", "2") + robin, x + y}) {
      const json summary =
          run("upwind", std::string("[mesh]\nbox = { min = [0,0], max = [1,1], cells = [5,6], shape = \"") + shape +
                            "\" }\n[physics]\ntype = \"convection_diffusion\"\ndiscretisation = \"upwind\"\n"
                            "[[material]]\ndiffusivity = 0.01\nvelocity = [\"1 + y\", \"-3 + sin(2*pi*x)\"]\n"
                            "reaction = 0.5\nsource = \"1 + cos(2*pi*x)\"\n" +
                            sides + "[solver]\ntype = \"lu\"\n" + flux("left", "\"left\"") +
                            flux("from", "\"left\"", "from = \"domain\"\n"));
      expect_balance(summary, 1e-11, shape + sides);
      const json& groups = summary["balance"]["groups"];
      EXPECT_NE(groups["left"].get<double>(), 0);
      // Dirichlet values and other periodic sides have a share in the flow at the corners.
      if (sides == x + condition("\"bottom\"", "neumann", "2") + robin) {
        EXPECT_NEAR(groups["left"].get<double>() + groups["right"].get<double>(), 0, 1e-12) << shape;
      }
      EXPECT_EQ(summary["quantities"]["left"], groups["left"]);
    }
}

}  // namespace
