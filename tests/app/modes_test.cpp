// Modes of Laplacians and of elastic bodies against exact values, and decks that have none.
#include <numbers>

#include "app/elasticity.hpp"
#include "app/gpu.hpp"
#include "support/orders.hpp"

namespace {

using namespace app_test;
using ::tessera::testing::observed_order;

constexpr double pi = std::numbers::pi;

std::string modes(int count, const std::string& more = "") {
  return fmt::format("[solver]\ntype = \"eigen\"\nmodes = {}\n{}", count, more);
}

std::string laplace(int order = 1) {
  return fmt::format("[physics]\ntype = \"poisson\"\norder = {}\n[[material]]\ndiffusivity = 1\n", order);
}

std::string fixed(const std::string& sides) {
  return "[[boundary]]\non = [" + sides + "]\ntype = \"dirichlet\"\nvalue = 0\n";
}

const std::string all_of_square = "\"left\", \"right\", \"bottom\", \"top\"",
                  all_of_cube = all_of_square + ", \"front\", \"back\"";

std::vector<double> list(const nlohmann::json& summary, const char* name) { return summary["modes"][name]; }

/// Eigenvalues of a run that found them, each to 1e-8.
std::vector<double> eigenvalues(const std::string& name, const std::string& deck, const std::string& options = "") {
  const nlohmann::json summary = run_elastic(name, deck, options);
  EXPECT_EQ(summary["status"], "ok") << name;
  EXPECT_EQ(summary["solver"]["type"], "eigen");
  for (const double residual : list(summary, "residuals")) EXPECT_LE(residual, 1e-8) << name;
  return list(summary, "eigenvalues");
}

std::string clamped_bar(int cells, int order, const std::string& density = "2") {
  return box_mesh("interval", {2}, {cells}) + elasticity(order) + "[[material]]\nyoung = 8\ndensity = " + density +
         "\n" + boundary("left", "displacement", "value = [0]") + modes(3);
}

/// A block of steel that nothing holds.
std::string free_block(const std::string& shift) {
  return box_mesh("hex", {0.3, 0.2, 0.1}, {3, 2, 1}) + elasticity(2) + isotropic("210e9", "0.3", "density = 7850\n") +
         modes(8, shift);
}

// ------------------------------------------------------------------------------------------------------- Laplacians

TEST(Modes, OfASquareConvergeWithTwiceTheOrderOfTheElements) {
  for (const char* shape : {"triangle", "quad"})
    for (const int order : {1, 2}) {
      const auto errors = [&](int cells) {
        const std::vector<double> found = eigenvalues(
            "square", box_mesh(shape, {1, 1}, {cells, cells}) + laplace(order) + fixed(all_of_square) + modes(4));
        const double exact[] = {2 * pi * pi, 5 * pi * pi, 5 * pi * pi, 8 * pi * pi};
        std::vector<double> result;
        for (std::size_t k = 0; k < 4; ++k) result.push_back(found[k] - exact[k]);
        return result;
      };
      const std::vector<double> coarse = errors(8), fine = errors(16);
      for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_GT(fine[k], 0) << shape;  // from above
        EXPECT_GE(observed_order(coarse[k], fine[k]), 2 * order - 0.3) << shape << order << " mode " << k;
      }
    }
}

TEST(Modes, OfACubeComeInThreesWhereItsSymmetryAsksForIt) {
  const std::vector<double> found =
      eigenvalues("cube", box_mesh("hex", {1, 1, 1}, {8, 8, 8}) + laplace() + fixed(all_of_cube) + modes(10));
  // Q1 elements are products: their eigenvalues are sums of those of linear elements on an interval.
  const auto along = [](int i) {
    const double h = 1.0 / 8, c = std::cos(i * pi * h);
    return 6 / (h * h) * (1 - c) / (2 + c);
  };
  const int exact[10][3] = {{1, 1, 1}, {1, 1, 2}, {1, 2, 1}, {2, 1, 1}, {1, 2, 2},
                            {2, 1, 2}, {2, 2, 1}, {1, 1, 3}, {1, 3, 1}, {3, 1, 1}};
  for (std::size_t k = 0; k < 10; ++k) {
    const double value = along(exact[k][0]) + along(exact[k][1]) + along(exact[k][2]);
    EXPECT_NEAR(found[k], value, 1e-9 * value) << k;
  }
}

TEST(Modes, OfADiskAreZerosOfABesselFunction) {
  const std::vector<double> found = eigenvalues(
      "disk", box_mesh("quad", {1, 0.1}, {24, 1}, {}, "axis = \"y\"\n") + laplace(2) + fixed("\"right\"") + modes(2));
  for (const auto& [value, zero] : {std::pair{found[0], 2.404825557695773}, {found[1], 5.520078110286311}})
    EXPECT_NEAR(value, zero * zero, 1e-4 * zero * zero);
}

TEST(Modes, AreThoseOfEveryOperatorAndPreconditioner) {
  const std::string deck =
      box_mesh("quad", {1, 1}, {6, 6}) + laplace(2) + fixed(all_of_square) + modes(4, "tolerance = 1e-9\n");
  const std::vector<double> expected = eigenvalues("ways", deck);
  for (const char* way :
       {"--set solver.preconditioner=jacobi --set assembly.strategy=matrix_free",
        "--set solver.preconditioner=jacobi --set matrix.format=packed_ell", "--set solver.preconditioner=none",
        "--set solver.preconditioner=chebyshev", "--set solver.preconditioner=ssor", "--set solver.block=12"}) {
    const std::vector<double> found = eigenvalues("ways", deck, way);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], 1e-10 * expected[k]) << way;
  }
  if (!has_gpu()) return;
  const std::vector<double> on_gpu = eigenvalues("ways", deck, "--backend cuda");
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(on_gpu[k], expected[k], 1e-10 * expected[k]);
}

TEST(Modes, OfAMembraneThatNothingHoldsBeginWithAConstant) {
  const std::string deck = box_mesh("quad", {1, 1}, {8, 8}) + laplace(2);
  const std::vector<double> found = eigenvalues("free_membrane", deck + modes(4, "shift = 1\n"));
  EXPECT_NEAR(found[0], 0, 1e-8);
  for (const auto& [k, exact] : {std::pair{1, pi * pi}, {2, pi * pi}, {3, 2 * pi * pi}})
    EXPECT_NEAR(found[static_cast<std::size_t>(k)], exact, 1e-3 * exact);
}

TEST(Modes, DoNotDependOnTheShift) {
  const std::string deck = box_mesh("triangle", {1, 1}, {8, 8}) + laplace() + fixed("\"left\"") + modes(3);
  const std::vector<double> plain = eigenvalues("shift", deck),
                            moved = eigenvalues("shift", deck, "--set solver.shift=7");
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(moved[k], plain[k], 1e-9 * plain[k]);
}

// ------------------------------------------------------------------------------------------------------- elasticity

TEST(Modes, OfABarConvergeToItsFrequencies) {
  // f = (2 k - 1) / (4 L) sqrt(E / rho) = (2 k - 1) / 4 Hz.
  for (const int order : {1, 2}) {
    std::vector<double> error;
    for (const int cells : {8, 16})
      error.push_back(list(run_elastic("bar", clamped_bar(cells, order)), "frequencies")[1] - 0.75);
    EXPECT_GE(observed_order(error[0], error[1]), 2 * order - 0.2) << order;
    EXPECT_LT(error[1], order == 1 ? 1e-2 : 1e-4);
  }
}

TEST(Modes, OfTheCantileverAreThoseOfABeam) {
  const fs::path out = folder() / "out_cantilever";
  const Result result = app_test::tessera("run " + (source() / "inputs/verification/modes_cantilever.toml").string() +
                                          " --backend threads --threads 1 --output " + out.string());
  ASSERT_EQ(result.code, 0) << result.text;
  const std::vector<double> f = list(summary_in(out), "frequencies");
  EXPECT_NEAR(f[0], 41.77, 0.005 * 41.77);
  EXPECT_NEAR(f[1], 261.8, 0.02 * 261.8);
  EXPECT_NEAR(f[2], 733.0, 0.04 * 733.0);
  EXPECT_NEAR(f[3], 1293, 0.005 * 1293);
  EXPECT_TRUE(result.says("frequency/Hz")) << result.text;
  // A member of the series each.
  for (int k = 1; k <= 5; ++k) EXPECT_TRUE(fs::exists(out / fmt::format("solution_{:06}.vtu", k))) << k;
  std::ifstream pvd(out / "solution.pvd");
  const std::string text{std::istreambuf_iterator<char>(pvd), {}};
  EXPECT_NE(text.find("timestep=\"5\""), std::string::npos) << text;
}

TEST(Modes, OfAClampedPlateAreThoseOfThinPlates) {
  // omega = 35.985 / a^2 sqrt(D / (rho h)); then a double one, 73.39.
  const double h = 0.02, D = 210e9 * h * h * h / (12 * (1 - 0.09)), unit = std::sqrt(D / (7850 * h)) / (2 * pi);
  std::string deck =
      box_mesh("hex", {1, 1, h}, {12, 12, 1}) + elasticity(2) + isotropic("210e9", "0.3", "density = 7850\n");
  deck += "[[boundary]]\non = [" + all_of_square + "]\ntype = \"displacement\"\nvalue = [0, 0, 0]\n" + modes(3);
  const std::vector<double> f = list(run_elastic("plate", deck), "frequencies");
  EXPECT_NEAR(f[0], 35.985 * unit, 0.02 * 35.985 * unit);
  EXPECT_NEAR(f[1], 73.39 * unit, 0.02 * 73.39 * unit);
  EXPECT_NEAR(f[2], f[1], 1e-7 * f[1]);
}

TEST(Modes, OfAFreeBodyBeginWithItsSixRigidMotions) {
  const std::vector<double> found = eigenvalues("free_block", free_block("shift = 1e8\n"));
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(found[k], 0, 1e-6 * found[6]) << k;
  EXPECT_GT(found[6], 1e7);
}

TEST(Modes, ScaleWithTheDensity) {
  const std::vector<double> light = eigenvalues("light", clamped_bar(8, 1, "2")),
                            heavy = eigenvalues("heavy", clamped_bar(8, 1, "8"));
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(heavy[k], light[k] / 4, 1e-10 * light[k]);
}

// ------------------------------------------------------------------------------------------------------ what is said

TEST(Modes, WarnOfLoadsAndPrescribedValues) {
  const std::string says = "have no effect on modes";
  const std::string square = box_mesh("triangle", {1, 1}, {4, 4});
  const auto warns = [&](const std::string& deck) {
    const std::string path = write_deck("loads.toml", deck);
    const bool run =
        app_test::tessera("run " + path + " --set output.write=false --output " + (folder() / "out_loads").string())
            .says(says);
    EXPECT_EQ(app_test::tessera("check " + path).says(says), run) << deck;
    return run;
  };
  const std::string left = "[[boundary]]\non = \"left\"\n";
  EXPECT_TRUE(warns(square + laplace() + "source = 1\n" + fixed("\"left\"") + modes(1)));
  EXPECT_TRUE(warns(square + laplace() + left + "type = \"dirichlet\"\nvalue = \"y\"\n" + modes(1)));
  EXPECT_TRUE(warns(square + laplace() + fixed("\"right\"") + left + "type = \"neumann\"\nvalue = 2\n" + modes(1)));
  EXPECT_FALSE(warns(square + laplace() + fixed("\"left\"") + modes(1)));
}

TEST(Modes, ThatDoNotConvergeEndWithFourAndAreMarked) {
  const nlohmann::json summary = run_elastic("slow",
                                             box_mesh("triangle", {1, 1}, {16, 16}) + laplace() + fixed("\"left\"") +
                                                 modes(2, "preconditioner = \"jacobi\"\nmax_iterations = 3\n"),
                                             "", 4);
  EXPECT_EQ(summary["status"], "not_converged");
  EXPECT_EQ(list(summary, "eigenvalues").size(), 2U);
}

TEST(Modes, HaveQuantitiesForEach) {
  const fs::path out = folder() / "out_quantities";
  const Result result = app_test::tessera(
      "run " +
      write_deck("quantities.toml", box_mesh("quad", {1, 1}, {8, 8}) + laplace() + fixed(all_of_square) + modes(3) +
                                        "[[quantity]]\nname = \"largest\"\nkind = \"max\"\n") +
      " --quiet --set output.write=false --output " + out.string());
  ASSERT_EQ(result.code, 0) << result.text;
  std::ifstream table(out / "quantities.csv");
  int lines = 0;
  for (std::string line; std::getline(table, line);) ++lines;
  EXPECT_EQ(lines, 4);  // and the names
}

TEST(Modes, AreForecast) {
  const std::string deck = write_deck(
      "forecast.toml", box_mesh("hex", {1, 1, 1}, {12, 12, 12}) + laplace() + fixed(all_of_cube) + modes(20));
  const Result result = app_test::tessera("check " + deck + " --backend threads");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("fits")) << result.text;
}

// ------------------------------------------------------------------------------------------------------- wrong decks

class ModesRefused : public ::testing::TestWithParam<Case> {};

TEST_P(ModesRefused, SaysWhatWhereAndWhatToDo) {
  const Case& wrong = GetParam();
  const std::string deck = write_deck(std::string(wrong.name) + ".toml", wrong.deck);
  for (const char* command : {"run", "check"}) {
    const Result result =
        app_test::tessera(std::string(command) + " " + deck +
                          (command == std::string("run") ? " --output " + (folder() / "refused").string() : ""));
    expect_says(result, wrong);
    EXPECT_TRUE(result.says("--> ")) << result.text;
  }
}

std::vector<Case> refused() {
  const std::string square = box_mesh("triangle", {1, 1}, {4, 4}), membrane = square + laplace() + fixed("\"left\"");
  const std::string steel = isotropic("210e9", "0.3");
  return {
      {"no_density",
       square + elasticity(1) + steel + boundary("left", "displacement", "value = [0, 0]") + modes(2),
       2,
       {"a material has no density", "7850"}},
      {"negative_density",
       square + elasticity(1) + isotropic("210e9", "0.3", "density = \"x - 0.5\"\n") +
           boundary("left", "displacement", "value = [0, 0]") + modes(2),
       2,
       {"density is -", "positive"}},
      {"loose_body", free_block(""), 2, {"can move without strain", "solver.shift"}},
      {"loose_membrane", square + laplace() + modes(2), 2, {"the problem is singular", "solver.shift"}},
      {"exact", membrane + modes(2) + "[exact]\nu = \"x\"\n", 2, {"[exact] has no meaning for modes"}},
      {"initial", membrane + modes(2) + "[[initial]]\nu = \"x\"\n", 2, {"[[initial]] has no meaning for modes"}},
      {"source",
       membrane + modes(2) + "[[source]]\nat = [0.4, 0.4]\namplitude = 1\n",
       2,
       {"[[source]] has no meaning for modes"}},
      {"line",
       membrane + modes(2) + "[[line]]\nname = \"cut\"\nfrom = [0, 0]\nto = [1, 1]\npoints = 3\n",
       2,
       {"[[line]] is of one solution"}},
      {"nonlinear",
       square + "[physics]\ntype = \"poisson\"\n[[material]]\ndiffusivity = \"1 + u*u\"\n" + fixed("\"left\"") +
           modes(2),
       2,
       {"coefficients that depend on u make a tangent that is not"}},
      {"convection",
       square + "[physics]\ntype = \"convection_diffusion\"\n[[material]]\ndiffusivity = 1\nvelocity = [1, 0]\n" +
           fixed("\"left\"") + "[solver]\ntype = \"eigen\"\n",
       2,
       {"symmetric", "convection"}},
      {"pmg",
       square + laplace(2) + fixed("\"left\"") + modes(2, "preconditioner = \"pmg\"\n"),
       2,
       {"the preconditioner \"pmg\" is for systems", "amg"}},
      {"mixed", "[run]\nprecision = \"mixed\"\n" + membrane + modes(2), 2, {"eigenpairs are found in double"}},
      {"small_block", membrane + modes(6, "block = 4\n"), 2, {"solver.block is 4, and there are 6 modes"}},
      {"no_modes", membrane + modes(0), 2, {"solver.modes is 0"}},
      {"of_cg", membrane + "[solver]\ntype = \"cg\"\nmodes = 3\n", 2, {"solver.modes is read by eigen"}},
      {"restart", membrane + modes(2, "restart = 30\n"), 2, {"solver.restart is read by gmres"}},
      {"shift_without_matrix",
       "[assembly]\nstrategy = \"matrix_free\"\n" + square + laplace() +
           modes(2, "preconditioner = \"jacobi\"\nshift = 1\n"),
       2,
       {"solver.shift is added to a matrix"}},
  };
}
INSTANTIATE_TEST_SUITE_P(Modes, ModesRefused, ::testing::ValuesIn(refused()), case_name);

TEST(Modes, AreRefusedWhereThereAreMoreThanFreeUnknowns) {
  for (const char* command : {"run ", "check "}) {
    const Result result = app_test::tessera(
        command +
        write_deck("many.toml", box_mesh("quad", {1, 1}, {3, 3}) + laplace() + fixed(all_of_square) + modes(5)) +
        " --output " + (folder() / "out_many").string());
    EXPECT_EQ(result.code, 2) << command;
    EXPECT_TRUE(result.says("4 free unknowns")) << result.text;
  }
}

}  // namespace
