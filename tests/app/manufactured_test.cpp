// [exact] source = true: the source that makes a known function the solution.
#include "app/nonlinear.hpp"

namespace {

using namespace app_test;

const std::string derived = "source = true\n[solver]\ntolerance = 1e-13\n";

TEST(ManufacturedSource, IsExactWhereTheElementsAre) {
  // Quadratic u on quadratic elements, coefficients of degree 1: the quadrature is exact.
  const auto error = [](const std::string& name, const std::string& deck) {
    return double(run_nonlinear("derived_" + name, deck)["errors"]["u"]["l2"]);
  };
  const std::string u = "1 + x*x - 2*x*y + y", exact = "[exact]\nu = \"" + u + "\"\n" + derived;
  const std::string walls = dirichlet_on(all_sides(2), u);
  for (const char* shape : {"triangle", "quad"}) {
    const std::string square = box_of(shape, 2, 4);
    EXPECT_LT(
        error(shape, square + poisson_of(2) + "[[material]]\ndiffusivity = \"1 + x\"\nreaction = 3\n" + walls + exact),
        1e-10)
        << shape;
    EXPECT_LT(error(std::string("tensor_") + shape,
                    square + poisson_of(2) + "[[material]]\ndiffusivity = [\"2 + y\", \"x/2\", 3]\n" + walls + exact),
              1e-10)
        << shape;
    for (const char* how : {"galerkin", "supg"})
      EXPECT_LT(
          error(std::string(how) + shape,
                square + "[physics]\ntype = \"convection_diffusion\"\norder = 2\ndiscretisation = \"" + how +
                    "\"\n[[material]]\ndiffusivity = 0.1\nvelocity = [\"1 + y\", -2]\nreaction = 1\n" + walls + exact),
          1e-10)
          << shape << how;
  }
  const std::string in_space = "x*x - y*z + 2*z";
  EXPECT_LT(error("tet", box_of("tet", 3, 2) + poisson_of(2) +
                             "[[material]]\ndiffusivity = [2, \"x/8\", 0, 3, 0, \"1 + z\"]\n" +
                             dirichlet_on(all_sides(3), in_space) + "[exact]\nu = \"" + in_space + "\"\n" + derived),
            1e-10);
  EXPECT_LT(error("line", box_of("interval", 1, 4) + poisson_of(2) + "[[material]]\ndiffusivity = \"1 + x\"\n" +
                              dirichlet_on(all_sides(1), "x*x") + "[exact]\nu = \"x*x\"\n" + derived),
            1e-10);
}

TEST(ManufacturedSource, OfABodyOfRevolution) {
  for (const std::string axis : {"x", "y"}) {
    const std::string r = axis == "y" ? "x" : "y", z = axis == "y" ? "y" : "x", u = r + "^2 + " + z + "^2";
    const nlohmann::json summary =
        run_nonlinear("derived_axis_" + axis,
                      "[mesh]\nbox = { min = [1, 1], max = [2, 2], cells = [4, 4], shape = \"quad\" }\naxis = \"" +
                          axis + "\"\n" + poisson_of(2) + "[[material]]\ndiffusivity = 2\n" +
                          dirichlet_on(all_sides(2), u) + "[exact]\nu = \"" + u + "\"\n" + derived);
    EXPECT_LT(summary["errors"]["u"]["l2"], 1e-10) << axis;
  }
}

TEST(ManufacturedSource, OfCoefficientsOfTheSolution) {
  const auto error = [](int cells) {
    const nlohmann::json summary =
        run_nonlinear(fmt::format("derived_{}", cells),
                      box_of("triangle", 2, cells) + poisson_of(2) +
                          "[[material]]\ndiffusivity = \"1 + u^2 + ux^2/4\"\nreaction = \"1 + uy^2\"\n" +
                          dirichlet_on(all_sides(2), "sin(x)*cos(y)") + "[exact]\nu = \"sin(x)*cos(y)\"\n" + derived);
    return double(summary["errors"]["u"]["l2"]);
  };
  const double coarse = error(6), fine = error(12);
  EXPECT_GT(std::log2(coarse / fine), 2.75) << coarse << " " << fine;
  EXPECT_LT(fine, 1e-5);
}

TEST(ManufacturedSource, EveryMaterialHasItsOwn) {
  const std::string u = "x*(1 - x)";
  const nlohmann::json summary = run_nonlinear(
      "derived_two",
      box_of("quad", 2, 4) + poisson_of(2) +
          "[[group]]\nname = \"one\"\nof = \"surfaces\"\nwhere = \"x < 0.5\"\n[[material]]\non = \"one\"\n"
          "diffusivity = \"1 + x\"\n[[material]]\ndiffusivity = \"2 - x\"\nreaction = 5\n" +
          dirichlet_on(all_sides(2), u) + "[exact]\nu = \"" + u + "\"\n" + derived);
  EXPECT_LT(summary["errors"]["u"]["l2"], 1e-10) << "(2 - x and 1 + x meet at x = 1/2)";
}

TEST(ManufacturedSource, RefusesAnotherSource) {
  const std::string deck =
      write_deck("two_sources.toml", box_of("quad", 2, 4) + poisson_of(1) + "[[material]]\nsource = 1\n" +
                                         dirichlet_on(all_sides(2), "x") + "[exact]\nu = \"x\"\nsource = true\n");
  const Result result = app_test::tessera("check " + deck);
  expect_says(result,
              Case{"", "", 2, {"this material has a source, and exact.source = true derives one", "leave one"}});
}

}  // namespace
