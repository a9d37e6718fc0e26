// Direct solvers of grids as a user runs them: the same solutions as conjugate gradients on the matrix, and what is
// refused.
#include <cmath>

#include "app/gpu.hpp"
#include "app/program.hpp"

namespace {

using namespace app_test;

std::string out(const std::string& name) { return (folder() / ("fast_poisson_" + name)).string(); }

Result run(const std::string& name, const std::string& deck, const std::string& options = "",
           const std::string& backend = "threads") {
  return app_test::tessera("run " + write_deck("fast_poisson_" + name + ".toml", deck) + " --quiet --backend " +
                           backend + " --output " + out(name) + options);
}

std::string boxed(const std::string& shape) {
  if (shape == "interval") return "[mesh]\nbox = { min = [0.5], max = [2], cells = [37], shape = \"interval\" }\n";
  if (shape == "triangle" || shape == "quad")
    return "[mesh]\nbox = { min = [-1, 0], max = [1, 0.7], cells = [16, 13], shape = \"" + shape + "\" }\n";
  return "[mesh]\nbox = { min = [0, 0, 1], max = [1, 2, 1.5], cells = [8, 7, 6], shape = \"" + shape + "\" }\n";
}

std::string sides(const std::string& shape) {
  std::string names = "\"left\", \"right\"";
  if (shape != "interval") names += ", \"bottom\", \"top\"";
  if (shape == "tet" || shape == "hex" || shape == "prism") names += ", \"back\", \"front\"";
  return names;
}

/// A source that varies, boundary values that two entries set, quantities of every kind.
std::string problem(const std::string& shape, const std::string& physics = "") {
  const std::string x = shape == "interval" ? "x" : shape == "triangle" || shape == "quad" ? "x*y" : "x*y*z";
  return boxed(shape) + "[physics]\ntype = \"poisson\"\n" + physics +
         "[[material]]\ndiffusivity = 2.5\nsource = \"10*exp(" + x + ")\"\n" + "[[boundary]]\non = [" + sides(shape) +
         "]\ntype = \"dirichlet\"\nvalue = \"cos(" + x + ")\"\n" +
         "[[boundary]]\non = \"right\"\ntype = \"dirichlet\"\nvalue = \"cos(" + x + ")\"\n" + "[exact]\nu = \"cos(" +
         x + ")\"\n[solver]\ntolerance = 1e-11\n" +
         "[[quantity]]\nname = \"max\"\nkind = \"max\"\n[[quantity]]\nname = \"integral\"\nkind = \"integral\"\n" +
         "[[quantity]]\nname = \"flux\"\nkind = \"flux\"\non = \"right\"\n[[quantity]]\nname = \"l2\"\nkind = \"l2\"\n";
}

nlohmann::json results(const std::string& name, const std::string& deck, const std::string& options,
                       const std::string& backend = "threads") {
  const Result result = run(name, deck, options, backend);
  EXPECT_EQ(result.code, 0) << result.text;
  return summary_in(out(name));
}

void expect_equal(const nlohmann::json& found, const nlohmann::json& expected) {
  for (const auto& [name, value] : expected["quantities"].items())
    EXPECT_NEAR(found["quantities"][name].get<double>(), value.get<double>(),
                1e-8 * std::max(1.0, std::abs(value.get<double>())))
        << name;
  EXPECT_NEAR(found["errors"]["u"]["l2"].get<double>(), expected["errors"]["u"]["l2"].get<double>(), 1e-8);
}

const std::string write_nothing = " --set output.write=false";
const std::string cg = " --set 'solver.type=\"cg\"'", bcr = " --set 'solver.type=\"bcr\"'",
                  fft = " --set 'solver.type=\"fft\"'";

/// A shape and a backend.
class FastPoisson : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    if (backend == "cuda" && !has_gpu()) GTEST_SKIP() << "no GPU";
  }
  const std::string shape = std::get<0>(GetParam()), backend = std::get<1>(GetParam());
};

TEST_P(FastPoisson, EqualsConjugateGradientsOnTheMatrix) {
  const std::string deck = problem(shape);
  const auto expected = results(shape + "_cg", deck, write_nothing + cg);
  for (const auto& [name, options] : {std::pair<std::string, std::string>{"_bcr", bcr},
                                      {"_radix_2", bcr + " --set solver.radix=2"},
                                      {"_fft", fft},
                                      {"_mixed", fft + " --set 'run.precision=\"mixed\"'"}}) {
    SCOPED_TRACE(name);
    const auto found = results(shape + backend + name, deck, write_nothing + options, backend);
    expect_equal(found, expected);
    EXPECT_LE(found["solver"]["relative_residual"].get<double>(), 1e-11);
    EXPECT_FALSE(found["solver"]["method"].get<std::string>().empty());
    EXPECT_FALSE(found["solver"].contains("preconditioner"));
  }
}

TEST_P(FastPoisson, DifferencesAreSolvedByEveryMethod) {
  const std::string deck = problem(shape, "discretisation = \"finite_difference\"\n");
  const auto expected =
      results(shape + "_fd_cg", deck, write_nothing + cg + " --set 'solver.preconditioner=\"chebyshev\"'");
  EXPECT_GT(expected["solver"]["iterations"].get<int>(), 1);
  for (const std::string& options : {bcr, fft, cg})
    expect_equal(results(shape + backend + "_fd", deck, write_nothing + options, backend), expected);
}

INSTANTIATE_TEST_SUITE_P(Shapes, FastPoisson,
                         ::testing::Combine(::testing::Values("interval", "triangle", "quad", "tet", "hex"),
                                            ::testing::Values("threads", "cuda")),
                         [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param); });

/// The verification decks once refined: errors in L2 are of second order.
class FastPoissonDeck : public ::testing::TestWithParam<std::string> {};

TEST_P(FastPoissonDeck, IsOfSecondOrder) {
  double errors[2];
  for (int refine : {0, 1}) {
    const Result result = app_test::tessera(
        "run " + (source() / "inputs/verification" / ("fast_poisson_" + GetParam() + ".toml")).string() +
        " --quiet --backend threads --output " + out("deck") + write_nothing +
        " --set mesh.refine=" + std::to_string(refine));
    ASSERT_EQ(result.code, 0) << result.text;
    errors[refine] = summary_in(out("deck"))["errors"]["u"]["l2"];
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Verification, FastPoissonDeck,
                         ::testing::Values("triangle", "quad", "tet", "hex", "helmholtz"),
                         [](const auto& info) { return info.param; });

TEST(FastPoissonReaction, IsSolvedOnIntervalsQuadsAndHexes) {
  for (const char* shape : {"interval", "quad", "hex"}) {
    SCOPED_TRACE(shape);
    std::string deck = problem(shape);
    deck.replace(deck.find("diffusivity"), 0, "reaction = 7\n");
    const auto expected = results("reaction_cg", deck, write_nothing + cg);
    for (const std::string& options : {bcr, fft})
      expect_equal(results("reaction", deck, write_nothing + options), expected);
  }
}

/// u_h / u = 2 pi^2 / lambda_h, lambda_h = 8 h^-2 sin^2(pi h / 2), at the centre, which is a node.
TEST(FastPoissonEigenvalue, IsThatOfTheFivePointScheme) {
  const std::string deck =
      "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [64, 64], shape = \"triangle\" }\n"
      "[physics]\ntype = \"poisson\"\ndiscretisation = \"finite_difference\"\n[[material]]\nsource = "
      "\"2*pi^2*sin(pi*x)*sin(pi*y)\"\n"
      "[[boundary]]\non = [\"left\", \"right\", \"bottom\", \"top\"]\ntype = \"dirichlet\"\n[solver]\ntolerance = "
      "1e-12\n"
      "[[quantity]]\nname = \"centre\"\nkind = \"value\"\nat = [0.5, 0.5]\n";
  const double pi = std::acos(-1.0), h = 1.0 / 64, lambda = 8 / (h * h) * std::pow(std::sin(pi * h / 2), 2);
  for (const std::string& options : {bcr, fft, cg})
    EXPECT_NEAR(results("eigenvalue", deck, options)["quantities"]["centre"].get<double>(), 2 * pi * pi / lambda,
                1e-12);
  EXPECT_TRUE(fs::exists(fs::path(out("eigenvalue")) / "solution.vtu"));
}

TEST(FastPoissonPrecision, FloatSaysThatItMissesTheTolerance) {
  const std::string sine = (source() / "inputs/verification/fast_poisson_triangle.toml").string();
  const std::string in_float = " --set 'run.precision=\"float\"'";
  ASSERT_EQ(app_test::tessera("run " + sine + " --quiet --backend threads --output " + out("float") + write_nothing +
                              in_float + " --set solver.tolerance=1e-6")
                .code,
            0);
  const auto summary = summary_in(out("float"));
  EXPECT_EQ(summary["solver"]["iterations"], 1);
  EXPECT_LT(summary["solver"]["backward_error"].get<double>(), 2e-6);
  EXPECT_EQ(summary["backend"]["precision"], "float");
  ASSERT_EQ(summary["warnings"].size(), 1u);
  EXPECT_NE(summary["warnings"][0].get<std::string>().find("tolerance = 1e-06 is missed"), std::string::npos)
      << summary["warnings"];
  const Result refused =
      app_test::tessera("run " + sine + " --quiet --output " + out("float") + write_nothing + in_float);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(refused.says("mixed")) << refused.text;
}

/// Without files, quantities and errors the mesh is not made.
TEST(FastPoissonMesh, IsMadeOnlyWhereItIsNeeded) {
  const std::string deck =
      "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [32, 32], shape = \"quad\" }\nrefine = 3\n[physics]\ntype = "
      "\"poisson\"\n"
      "[[material]]\nsource = \"x\"\n[[boundary]]\non = [\"left\", \"right\", \"bottom\", \"top\"]\ntype = "
      "\"dirichlet\"\n"
      "[solver]\ntype = \"fft\"\n[output]\nwrite = false\n";
  const auto summary = results("no_mesh", deck, "");
  EXPECT_EQ(summary["status"], "ok");
  EXPECT_EQ(summary["mesh"]["nodes"], 257 * 257);
  EXPECT_EQ(summary["space"]["unknowns"], 255 * 255);
  EXPECT_FALSE(summary["mesh"].contains("cells"));
  const Result check = app_test::tessera("check " + write_deck("fast_poisson_check.toml", deck));
  EXPECT_EQ(check.code, 0) << check.text;
  EXPECT_TRUE(check.says("255 x 255")) << check.text;
  EXPECT_TRUE(check.says("fft")) << check.text;
}

TEST(FastPoissonLists, NameTheMethods) {
  const Result list = app_test::tessera("list solvers");
  EXPECT_TRUE(list.says("bcr")) << list.text;
  EXPECT_TRUE(list.says("fft")) << list.text;
  EXPECT_TRUE(app_test::tessera("template poisson").says("finite_difference"));
}

class BadFastPoisson : public ::testing::TestWithParam<Case> {};

TEST_P(BadFastPoisson, SaysWhatWhereAndWhatToDo) {
  const Case& wrong = GetParam();
  const Result result = run(wrong.name, wrong.deck, write_nothing);
  expect_says(result, wrong);
  EXPECT_TRUE(result.says("fast_poisson_" + std::string(wrong.name) + ".toml:")) << "a place in the deck\n"
                                                                                 << result.text;
}

/// A deck of five lines before [[material]] that runs, with room for what is wrong.
std::string deck(const std::string& shape, const std::string& solver = "bcr",
                 const std::string& material = "source = 1\n", const std::string& physics = "",
                 const std::string& more = "") {
  return boxed(shape) + "[physics]\ntype = \"poisson\"\n" + physics + "[[material]]\n" + material +
         "[[boundary]]\non = [" + sides(shape) + "]\ntype = \"dirichlet\"\n[solver]\ntype = \"" + solver + "\"\n" +
         more;
}
std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}
const std::string differences = "discretisation = \"finite_difference\"\n";

INSTANTIATE_TEST_SUITE_P(
    Input, BadFastPoisson,
    ::testing::Values(
        Case{"file",
             with(deck("triangle"), boxed("triangle"), "[mesh]\nfile = \"a.msh\"\n"),
             2,
             {"solver.type = \"bcr\"", "this one is a file", ".toml:2"}},
        Case{"prism", deck("prism"), 2, {"those of prisms are not", "\"hex\"", ".toml:2"}},
        Case{"curved", with(deck("quad"), "[physics]", "order = 2\n[physics]"), 2, {"mesh.order is 2", ".toml:3"}},
        Case{"metis",
             with(deck("quad"), "[physics]", "numbering = \"metis\"\n[physics]"),
             2,
             {"mesh.numbering is \"metis\"", ".toml:3"}},
        Case{"one_cell", with(deck("quad"), "[16, 13]", "[16, 1]"), 2, {"one cell only", ".toml:2"}},
        Case{"order",
             deck("quad", "fft", "source = 1\n", "order = 2\n"),
             2,
             {"solver.type = \"fft\"", "physics.order is 2", ".toml:5", "solver.type = \"cg\""}},
        Case{"varying",
             deck("quad", "bcr", "diffusivity = \"1+x\"\n"),
             2,
             {"needs a constant diffusivity", "1+x", ".toml:6"}},
        Case{
            "tensor", deck("quad", "bcr", "diffusivity = [1, 0, 2]\n"), 2, {"scalar diffusivity", "tensor", ".toml:5"}},
        Case{"not_elliptic", deck("quad", "bcr", "diffusivity = -1\n"), 2, {"not positive", ".toml:5"}},
        Case{
            "varying_reaction", deck("quad", "bcr", "reaction = \"y\"\n"), 2, {"needs a constant reaction", ".toml:6"}},
        Case{"negative_reaction",
             deck("quad", "bcr", "reaction = -3\n"),
             2,
             {"not negative, this one is -3", "minres", ".toml:5"}},
        Case{"triangle_reaction",
             deck("triangle", "bcr", "reaction = 3\n"),
             2,
             {"no reaction on cells of shape 'triangle'", "\"quad\"", "finite_difference"}},
        Case{"tet_reaction",
             deck("tet", "fft", "reaction = 3\n"),
             2,
             {"no reaction on cells of shape 'tet'", "\"hex\""}},
        Case{"neumann",
             with(deck("quad"), "[solver]", "[[boundary]]\non = \"top\"\ntype = \"neumann\"\nvalue = 1\n[solver]"),
             2,
             {"this boundary is neumann", ".toml:10"}},
        Case{"bare_side", with(deck("quad"), ", \"top\"", ""), 2, {"'top' has no condition", "k du/dn = 0", ".toml:7"}},
        Case{"misspelt_side",
             with(deck("quad"), "\"top\"", "\"tpo\""),
             3,
             {"did you mean 'top'", "left (curve), right (curve), bottom (curve), top (curve), domain (surface)\n",
              ".toml:7"}},
        Case{"misspelt_domain",
             deck("quad", "bcr", "on = \"domian\"\n"),
             3,
             {"did you mean 'domain'", "left (curve), right (curve)", ".toml:5"}},
        Case{"misspelt_quantity",
             deck("quad", "bcr", "source = 1\n", "", "[[quantity]]\nname = \"v\"\nkind = \"flux\"\non = \"lid\"\n"),
             3,
             {"no curve group 'lid'", "left (curve), right (curve)", ".toml:12"}},
        Case{"contradiction",
             with(deck("quad"), "[solver]", "[[boundary]]\non = \"top\"\ntype = \"dirichlet\"\nvalue = 1\n[solver]"),
             2,
             {"contradict", ".toml:10"}},
        Case{"strategy",
             deck("quad", "bcr", "source = 1\n", "", "[assembly]\nstrategy = \"colour\"\n"),
             2,
             {"assembles no matrix", ".toml:13"}},
        Case{"format",
             deck("quad", "bcr", "source = 1\n", "", "[matrix]\nformat = \"ell\"\n"),
             2,
             {"stores no matrix", "\"ell\"", ".toml:12"}},
        Case{"source_nan", deck("quad", "bcr", "source = \"log(x)\"\n"), 2, {"log(x)", ".toml:6"}},
        Case{"source_nan_differences",
             deck("quad", "bcr", "source = \"log(x)\"\n", differences),
             2,
             {"log(x)", ".toml:7"}},
        Case{"boundary_nan",
             with(deck("quad"), "type = \"dirichlet\"", "type = \"dirichlet\"\nvalue = \"sqrt(x)\""),
             2,
             {"sqrt(x)", ".toml:10"}},
        Case{"radix", deck("quad", "bcr", "source = 1\n", "", "radix = 3\n"), 2, {"solver.radix is 3", "2 or 4"}},
        Case{"differences_file",
             with(deck("quad", "cg", "source = 1\n", differences), boxed("quad"), "[mesh]\nfile = \"a.msh\"\n"),
             2,
             {"discretisation = \"finite_difference\"", "galerkin", ".toml:2"}},
        Case{"differences_direct",
             deck("quad", "direct", "source = 1\n", differences),
             2,
             {"needs its entries", "\"direct\""}},
        Case{"differences_ssor",
             deck("quad", "cg", "source = 1\n", differences, "preconditioner = \"ssor\"\n"),
             2,
             {"needs its entries", "\"ssor\""}},
        Case{"exact_gradient",
             deck("quad", "bcr", "source = 1\n", "", "[exact]\nu = \"x\"\ngradient = [\"1\"]\n"),
             2,
             {"exact.gradient has 1 component"}},
        Case{"outside",
             deck("quad", "bcr", "source = 1\n", "", "[[quantity]]\nname = \"v\"\nkind = \"value\"\nat = [5, 5]\n"),
             2,
             {"is in no cell"}}),
    case_name);

/// The corners of a box may be left out: the unit square, cube ...
TEST(FastPoisson, TakesABoxWithoutCorners) {
  const Result ran = run("no_corners",
                         "[mesh]\nbox = { cells = [8, 8], shape = \"quad\" }\n[physics]\ntype = \"poisson\"\n"
                         "[[material]]\nsource = \"x\"\n[[boundary]]\non = [\"left\", \"right\", \"bottom\", \"top\"]\n"
                         "type = \"dirichlet\"\nvalue = 0\n[solver]\ntype = \"bcr\"\n[output]\nwrite = false\n");
  EXPECT_EQ(ran.code, 0) << ran.text;
}

}  // namespace
