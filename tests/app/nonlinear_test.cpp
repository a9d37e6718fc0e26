// Problems whose coefficients depend on the solution, against exact ones.
#include "app/nonlinear.hpp"
#include "app/gpu.hpp"

namespace {

using namespace app_test;

const std::string exactly = "[solver]\ntolerance = 1e-13\n", to_the_end = "--set 'newton.linear_tolerance=\"fixed\"'";

/// With u = sin x cos y (1 + z / 2) -div((1 + u^2) grad u) = -2 u |grad u|^2 - (1 + u^2) lap u, lap u = -2 u, or -u on
/// a line, where u = sin x.
std::string k_of_u(const std::string& shape, int dim, int cells, int order) {
  const char* const u = dim == 1 ? "sin(x)" : dim == 2 ? "sin(x)*cos(y)" : "sin(x)*cos(y)*(1+z/2)";
  const char* const slope = dim == 1   ? "cos(x)^2"
                            : dim == 2 ? "(cos(x)*cos(y))^2 + (sin(x)*sin(y))^2"
                                       : "((cos(x)*cos(y))^2 + (sin(x)*sin(y))^2)*(1+z/2)^2 + (sin(x)*cos(y)/2)^2";
  return box_of(shape, dim, cells) + poisson_of(order) +
         fmt::format("[[material]]\ndiffusivity = \"1 + u^2\"\nsource = \"-2*({0})*({1}) + {2}*(1 + ({0})^2)*({0})\"\n",
                     u, slope, dim == 1 ? 1 : 2) +
         dirichlet_on(all_sides(dim), u) + fmt::format("[exact]\nu = \"{}\"\n", u) + exactly;
}

/// Residuals of the last iterations: each is the square of the one before, but for a factor.
void expect_quadratic(const nlohmann::json& summary, const std::string& what) {
  const auto& history = summary["newton"]["history"];
  ASSERT_GE(history.size(), 3u) << what;
  EXPECT_TRUE(summary["newton"]["converged"]) << what;
  const double first = std::max(double(history[0]["residual"]), double(summary["newton"]["initial_residual"]));
  int seen = 0;
  for (std::size_t k = 1; k + 1 < history.size(); ++k) {
    const double before = history[k - 1]["residual"], now = history[k]["residual"], next = history[k + 1]["residual"];
    if (now > 0.03 * before || next < 1e-11 * first) continue;  // not there yet; rounding
    ++seen;
    EXPECT_GT(std::log(next / now) / std::log(now / before), 1.7) << what << history;
  }
  EXPECT_GE(seen, 1) << what << " showed nothing: " << history;
  EXPECT_LT(summary["balance"]["relative_remainder"], 1e-10) << what;
  EXPECT_LE(history.size(), 8u) << what;
}

struct Elements {
  const char* shape;
  int dim, order, cells;
};
void PrintTo(const Elements& e, std::ostream* stream) { *stream << e.shape << " order " << e.order; }
class NonlinearOrder : public ::testing::TestWithParam<Elements> {};

TEST_P(NonlinearOrder, IsThatOfTheElement) {
  const Elements& e = GetParam();
  const auto error = [&](int cells) {
    const std::string name = fmt::format("k_of_u_{}_{}_{}", e.shape, e.order, cells);
    const nlohmann::json summary = run_nonlinear(name, k_of_u(e.shape, e.dim, cells, e.order));
    EXPECT_TRUE(summary["newton"]["converged"]) << name;
    EXPECT_LE(summary["newton"]["iterations"], 7) << name;
    EXPECT_LT(summary["balance"]["relative_remainder"], 1e-10) << name;
    return std::pair<double, double>(summary["errors"]["u"]["l2"], summary["errors"]["u"]["h1"]);
  };
  const auto coarse = error(e.cells), fine = error(2 * e.cells);
  EXPECT_GT(std::log2(coarse.first / fine.first), e.order + 1 - 0.25) << coarse.first << " " << fine.first;
  EXPECT_GT(std::log2(coarse.second / fine.second), e.order - 0.25) << coarse.second << " " << fine.second;
}

INSTANTIATE_TEST_SUITE_P(Shapes, NonlinearOrder,
                         ::testing::Values(Elements{"interval", 1, 1, 8}, Elements{"interval", 1, 4, 3},
                                           Elements{"triangle", 2, 1, 8}, Elements{"triangle", 2, 3, 4},
                                           Elements{"quad", 2, 1, 8}, Elements{"quad", 2, 2, 6},
                                           Elements{"tet", 3, 1, 4}, Elements{"tet", 3, 2, 3}, Elements{"hex", 3, 1, 4},
                                           Elements{"prism", 3, 2, 3}),
                         [](const auto& info) {
                           return std::string(info.param.shape) + std::to_string(info.param.order);
                         });

TEST(Nonlinear, ResidualsFallQuadratically) {
  expect_quadratic(run_nonlinear("quadratic", k_of_u("triangle", 2, 8, 2), to_the_end), "k(u)");
}

/// k (1000 - T) / L = eps sigma (T^4 - 300^4)
double radiating_end() {
  double low = 300, high = 1000;
  for (int i = 0; i < 100; ++i) {
    const double T = 0.5 * (low + high);
    (55.6 * (1000 - T) / 0.1 > 0.98 * 5.67e-8 * (std::pow(T, 4) - std::pow(300, 4)) ? low : high) = T;
  }
  return low;
}

std::string radiation(const std::string& condition, const std::string& more = "") {
  return "[mesh]\nbox = { max = [0.1], cells = [10], shape = \"interval\" }\n" + poisson_of(1) +
         "[[material]]\ndiffusivity = 55.6\n" + dirichlet_on("\"left\"", "1000") + "[[boundary]]\non = \"right\"\n" +
         condition + "[[quantity]]\nname = \"end\"\nkind = \"value\"\nat = [0.1]\n[[quantity]]\nname = \"out\"\n" +
         "kind = \"flux\"\non = \"right\"\n" + exactly + more;
}

TEST(Nonlinear, ARadiatingBar) {
  const double T = radiating_end();
  EXPECT_NEAR(T, 927.01, 0.005);
  for (const char* condition : {"type = \"neumann\"\nvalue = \"-0.98*5.67e-8*(u^4 - 300^4)\"\n",
                                "type = \"robin\"\nalpha = \"0.98*5.67e-8*u^3\"\nvalue = \"0.98*5.67e-8*300^4\"\n"}) {
    const nlohmann::json summary = run_nonlinear("radiation", radiation(condition), to_the_end);
    EXPECT_NEAR(summary["quantities"]["end"], T, 1e-9 * T) << condition;
    EXPECT_NEAR(summary["quantities"]["out"], 556 * (1000 - T), 1e-5) << condition;
    EXPECT_LT(summary["balance"]["relative_remainder"], 1e-12) << condition;
    expect_quadratic(summary, condition);
  }
}

TEST(Nonlinear, BratuOnALine) {
  // -u'' = 3 e^u: u = -2 log(cosh((x - 1/2) t / 2) / cosh(t / 4)) with t = sqrt(6) cosh(t / 4), the lower branch
  double t = 0;
  for (int i = 0; i < 200; ++i) t = std::sqrt(6.0) * std::cosh(t / 4);
  const std::string u = fmt::format("-2*log(cosh((x - 0.5)*{0}/2)/cosh({0}/4))", t);
  const nlohmann::json summary =
      run_nonlinear("bratu",
                    box_of("interval", 1, 16) + poisson_of(4) + "[[material]]\nsource = \"3*exp(u)\"\n" +
                        dirichlet_on(all_sides(1), "0") + "[exact]\nu = \"" + u + "\"\n" + exactly,
                    to_the_end);
  EXPECT_LT(summary["errors"]["u"]["l2"], 5e-9);
  EXPECT_EQ(summary["solver"]["type"], "cg");
  expect_quadratic(summary, "Bratu");
}

TEST(Nonlinear, ThePLaplacian) {
  // -(|u'| u')' = 1: |u'| u' = 1/2 - x
  const std::string u = "(0.5^1.5 - abs(0.5 - x)^1.5)/1.5";
  const nlohmann::json summary = run_nonlinear(
      "p_laplacian", box_of("interval", 1, 200) + poisson_of(1) +
                         "[[material]]\ndiffusivity = \"sqrt(1e-12 + ux^2)\"\nsource = 1\n" +
                         dirichlet_on(all_sides(1), "0") + "[[initial]]\nu = \"x*(1 - x)\"\n[exact]\nu = \"" + u +
                         "\"\n" + exactly + "[newton]\nmax_iterations = 60\n");
  EXPECT_LT(summary["errors"]["u"]["max"], 1e-4);
  EXPECT_EQ(summary["solver"]["type"], "cg") << "the derivative of an energy is symmetric";
}

TEST(Nonlinear, ScherksMinimalSurface) {
  const auto run = [](const std::string& shape, int order, int cells) {
    return run_nonlinear(
        fmt::format("scherk_{}_{}_{}", shape, order, cells),
        fmt::format("[mesh]\nbox = {{ min = [-1, -1], max = [1, 1], cells = [{0}, {0}], shape = \"{1}\" }}\n", cells,
                    shape) +
            poisson_of(order) + "[[material]]\ndiffusivity = \"1/sqrt(1 + ux^2 + uy^2)\"\n" +
            dirichlet_on(all_sides(2), "log(cos(y)/cos(x))") + "[exact]\nu = \"log(cos(y)/cos(x))\"\n" + exactly,
        to_the_end);
  };
  for (const char* shape : {"triangle", "quad"}) {
    const nlohmann::json coarse = run(shape, 2, 8), fine = run(shape, 2, 16);
    const double first = coarse["errors"]["u"]["l2"], second = fine["errors"]["u"]["l2"];
    EXPECT_GT(std::log2(first / second), 2.7) << shape;
    EXPECT_EQ(fine["solver"]["type"], "cg");
    expect_quadratic(fine, shape);
  }
}

TEST(Nonlinear, BurgersByASourceOfTheGradient) {
  // -u'' + u u' = f with u = sin(pi x)
  const nlohmann::json summary =
      run_nonlinear("burgers",
                    box_of("interval", 1, 16) + poisson_of(4) +
                        "[[material]]\nsource = \"pi^2*sin(pi*x) + pi*sin(pi*x)*cos(pi*x) - u*ux\"\n" +
                        dirichlet_on(all_sides(1), "0") + "[exact]\nu = \"sin(pi*x)\"\n" + exactly,
                    to_the_end);
  EXPECT_LT(summary["errors"]["u"]["l2"], 2e-7);
  EXPECT_EQ(summary["solver"]["type"], "bicgstab");
  expect_quadratic(summary, "Burgers");
}

TEST(Nonlinear, ATensorOfUAndOfItsGradient) {
  // u = x + 2 y solves -div(K grad u) = f for any K of u and grad u, here K = [1 + u^2, u / 8, 2 + ux^2 + uy]: flux_x =
  // 1 + u^2 + u / 4, flux_y = u / 8 + 10, div flux = 2 u + 1/4 + 2/8
  for (const char* shape : {"triangle", "quad"}) {
    const nlohmann::json summary =
        run_nonlinear(std::string("tensor_") + shape,
                      box_of(shape, 2, 6) + poisson_of(2) +
                          "[[material]]\ndiffusivity = [\"1 + u^2\", \"u/8\", \"2 + ux^2 + uy\"]\nsource = \"-(2*(x + "
                          "2*y) + 0.5)\"\n" +
                          dirichlet_on(all_sides(2), "x + 2*y") + "[exact]\nu = \"x + 2*y\"\n" + exactly,
                      to_the_end);
    EXPECT_LT(summary["errors"]["u"]["l2"], 1e-10) << shape;
    expect_quadratic(summary, shape);
  }
}

TEST(Nonlinear, ConductionThroughATubeWithAnAxis) {
  // (r (1 + u) u')' = 0: u + u^2 / 2 = 1.5 log r / log 2
  const std::string u = "-1 + sqrt(1 + 3*log(x)/log(2))";
  const nlohmann::json summary = run_nonlinear(
      "tube", "[mesh]\nbox = { min = [1, 0], max = [2, 1], cells = [12, 2], shape = \"quad\" }\naxis = \"y\"\n" +
                  poisson_of(3) + "[[material]]\ndiffusivity = \"1 + u\"\n" + dirichlet_on("\"left\"", "0") +
                  dirichlet_on("\"right\"", "1") + "[exact]\nu = \"" + u + "\"\n[[quantity]]\nname = \"in\"\n" +
                  "kind = \"flux\"\non = \"right\"\n" + exactly);
  EXPECT_LT(summary["errors"]["u"]["l2"], 1e-5);
  EXPECT_NEAR(summary["quantities"]["in"], -2 * M_PI * 1.5 / std::log(2.0), 1e-4);
  EXPECT_LT(summary["balance"]["relative_remainder"], 1e-11);
}

TEST(Nonlinear, PeriodicSides) {
  const std::string deck = box_of("quad", 2, 8) + poisson_of(2) +
                           "[[material]]\ndiffusivity = \"1 + u^2\"\nsource = \"5*cos(2*pi*x)\"\n" +
                           dirichlet_on("[\"bottom\", \"top\"]", "0") +
                           "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"periodic\"\n[[quantity]]\nname = "
                           "\"l\"\nkind = \"value\"\nat = [0, 0.5]\n"
                           "[[quantity]]\nname = \"r\"\nkind = \"value\"\nat = [1, 0.5]\n" +
                           exactly;
  const nlohmann::json summary = run_nonlinear("periodic_k_of_u", deck);
  EXPECT_EQ(summary["quantities"]["l"], summary["quantities"]["r"]);
  EXPECT_GT(summary["quantities"]["l"], 0.1);
  EXPECT_LT(summary["balance"]["relative_remainder"], 1e-11);
}

TEST(Nonlinear, MaterialsAndConstantsBesideOneAnother) {
  // A material of u and one without, in groups of cells by place; the flux through the middle is that through the ends.
  const std::string deck = box_of("triangle", 2, 8) +
                           "[[group]]\nname = \"hot\"\nof = \"surfaces\"\nwhere = \"x < 0.5\"\n" + poisson_of(1) +
                           "[[material]]\non = \"hot\"\ndiffusivity = \"1 + u\"\n[[material]]\ndiffusivity = 2\n" +
                           dirichlet_on("\"left\"", "1") + dirichlet_on("\"right\"", "0") +
                           "[[quantity]]\nname = \"middle\"\nkind = \"value\"\nat = [0.5, 0.5]\n" + exactly;
  const nlohmann::json summary = run_nonlinear("two_laws", deck);
  // q / 2 = (1 + 1/2) - (m + m^2 / 2) = 2 m: m^2 / 2 + 3 m - 3/2 = 0
  EXPECT_NEAR(summary["quantities"]["middle"], -3 + std::sqrt(12.0), 1e-3);
  EXPECT_LT(summary["balance"]["relative_remainder"], 1e-11);
}

TEST(Nonlinear, PicardGetsThereSlower) {
  const std::string deck = k_of_u("triangle", 2, 8, 2);
  const nlohmann::json newton = run_nonlinear("by_newton", deck),
                       picard = run_nonlinear("by_picard", deck +
                                                               "[newton]\ntangent = \"picard\"\ntolerance = 1e-10\n"
                                                               "max_iterations = 60\n");
  EXPECT_EQ(picard["solver"]["type"], "cg") << "without its derivative k(u) makes a symmetric matrix";
  EXPECT_GT(picard["newton"]["iterations"], newton["newton"]["iterations"]);
  EXPECT_NEAR(picard["errors"]["u"]["l2"], double(newton["errors"]["u"]["l2"]), 1e-9);
}

std::string silicon(const std::string& length, int cells, const std::string& more) {
  return "[mesh]\nbox = { min = [0], max = [" + length + "], cells = [" + std::to_string(cells) +
         "], shape = \"interval\" }\n" + poisson_of(1) + "[[material]]\ndiffusivity = \"148*(300/u)^1.3\"\n" +
         "[[boundary]]\non = [\"right\"]\ntype = \"neumann\"\nvalue = 500\n" +
         "[[boundary]]\non = [\"left\"]\ntype = \"robin\"\nalpha = 10\nvalue = 3000\n[[initial]]\nu = 345\n" +
         "[[quantity]]\nname = \"left\"\nkind = \"average\"\non = \"left\"\n" + more;
}

TEST(Nonlinear, AWeaklyHeldSolutionIsNotTakenForFoundTooEarly) {
  // alpha u = 3000 + 500. A thin bar hardly resists: the residual says little of how far u is as a whole.
  const nlohmann::json thin = run_nonlinear(
      "thin",
      silicon("1e-5", 400, "[newton]\ntolerance = 1e-4\n[solver]\ntype = \"bicgstab\"\npreconditioner = \"ssor\"\n"));
  EXPECT_NEAR(thin["quantities"]["left"], 350, 1e-2);
  const nlohmann::json weak = run_nonlinear(
      "weak", "[mesh]\nbox = { min = [0], max = [1], cells = [400], shape = \"interval\" }\n" + poisson_of(1) +
                  "[[material]]\ndiffusivity = \"1 + 1e-2*u\"\n[[boundary]]\non = [\"right\"]\ntype = \"neumann\"\n"
                  "value = 1\n[[boundary]]\non = [\"left\"]\ntype = \"robin\"\nalpha = 1e-4\nvalue = 0\n"
                  "[[initial]]\nu = 9e3\n[[quantity]]\nname = \"left\"\nkind = \"average\"\non = \"left\"\n"
                  "[solver]\ntype = \"bicgstab\"\npreconditioner = \"ssor\"\n");
  EXPECT_NEAR(weak["quantities"]["left"], 1e4, 1e-1);
}

TEST(Nonlinear, EndsWhereTheResidualIsRounding) {
  const nlohmann::json summary =
      run_nonlinear("rounding", silicon("0.01", 200, "[solver]\ntype = \"bicgstab\"\npreconditioner = \"ssor\"\n"));
  EXPECT_NEAR(summary["quantities"]["left"], 350, 1e-4);
}

TEST(Nonlinear, CheckLooksWhereARunStarts) {
  const std::string deck = "[mesh]\nbox = { min = [0], max = [1], cells = [100], shape = \"interval\" }\n" +
                           poisson_of(1) + "[[material]]\ndiffusivity = \"5 - abs(ux)\"\n" +
                           dirichlet_on("\"left\"", "0") + dirichlet_on("\"right\"", "1");
  run_nonlinear("gentle", deck);
  const Result check = app_test::tessera("check " + write_deck("gentle_check.toml", deck));
  EXPECT_EQ(check.code, 0) << check.text;
}

TEST(Nonlinear, AStartThatSolvesTheProblemHasASolver) {
  const nlohmann::json summary = run_nonlinear(
      "solved", box_of("interval", 1, 40) + poisson_of(1) + "[[material]]\ndiffusivity = \"1 + u\"\n" +
                    dirichlet_on("\"left\"", "300") +
                    "[[boundary]]\non = \"right\"\ntype = \"neumann\"\nvalue = \"-1e-8*(u^4 - 300^4)\"\n");
  EXPECT_EQ(summary["newton"]["iterations"], 0);
  EXPECT_EQ(summary["solver"]["converged"], true);
  EXPECT_EQ(summary["solver"]["type"], "bicgstab");
}

TEST(Nonlinear, ZeroIsASolutionLikeAnother) {
  const nlohmann::json summary =
      run_nonlinear("zero", box_of("triangle", 2, 6) + poisson_of(2) + "[[material]]\ndiffusivity = \"1 + u^2\"\n" +
                                dirichlet_on(all_sides(2), "0") +
                                "[[initial]]\nu = \"1 + x\"\n[[quantity]]\nname = \"norm\"\nkind = \"l2\"\n");
  EXPECT_LT(summary["quantities"]["norm"], 1e-12);
}

TEST(Nonlinear, SearchesFromTheSecondIterationOn) {
  // Dirichlet values that the start is not a round number away from; what is there already is not prescribed again.
  const nlohmann::json summary = run_nonlinear(
      "searches", box_of("interval", 1, 40) + poisson_of(1) +
                      "[[material]]\ndiffusivity = \"0.01 + 1/(1 + exp(50 - u))\"\n" + dirichlet_on("\"left\"", "0.1") +
                      dirichlet_on("\"right\"", "99.9") + "[newton]\nmax_iterations = 200\n");
  const nlohmann::json& history = summary["newton"]["history"];
  ASSERT_GT(history.size(), 2u);
  for (std::size_t k = 1; k + 1 < history.size(); ++k)
    EXPECT_LT(history[k]["residual"].get<double>(), history[k - 1]["residual"].get<double>()) << k;
}

TEST(Nonlinear, PicardTakesNothingOfInfiniteSlopes) {
  const nlohmann::json summary = run_nonlinear(
      "infinite_slope", box_of("interval", 1, 8) + poisson_of(1) + "[[material]]\nsource = \"1 - sqrt(abs(u))\"\n" +
                            dirichlet_on("[\"left\", \"right\"]", "0") +
                            "[newton]\ntangent = \"picard\"\nmax_iterations = 100\n");
  EXPECT_GT(summary["newton"]["iterations"], 1);
}

TEST(Nonlinear, PicardKnowsWhatSourcesAndFlowsTakeAway) {
  // Radiation all around a source, and a sink: nothing but these fixes u.
  const std::string deck = box_of("triangle", 2, 6) + poisson_of(2) +
                           "[[material]]\nsource = \"if(x < 0.5, 4, 1 - u^3)\"\n[[boundary]]\non = " + all_sides(2) +
                           "\ntype = \"neumann\"\nvalue = \"1 - u^4\"\n[[initial]]\nu = 1\n[[quantity]]\n"
                           "name = \"mean\"\nkind = \"average\"\n[newton]\ntolerance = 1e-10\nmax_iterations = 200\n";
  const nlohmann::json newton = run_nonlinear("fixed_by_flows", deck),
                       picard = run_nonlinear("fixed_by_flows_picard", deck + "tangent = \"picard\"\n");
  EXPECT_EQ(picard["solver"]["type"], "cg");
  EXPECT_GE(picard["newton"]["iterations"], newton["newton"]["iterations"]);
  EXPECT_NEAR(picard["quantities"]["mean"], double(newton["quantities"]["mean"]), 1e-8);
}

TEST(Nonlinear, LoadStepsEndAtTheSameSolution) {
  const std::string deck = radiation("type = \"neumann\"\nvalue = \"-0.98*5.67e-8*(u^4 - 300^4)\"\n");
  const nlohmann::json steps = run_nonlinear("by_steps", deck + "[newton]\nload_steps = 4\n");
  EXPECT_EQ(steps["newton"]["load_steps"], 4);
  EXPECT_GE(steps["newton"]["iterations"], 8);
  EXPECT_NEAR(steps["quantities"]["end"], radiating_end(), 1e-6);
}

TEST(Nonlinear, DoesNotDependOnTheNumberOfThreads) {
  const std::string deck = k_of_u("tet", 3, 5, 2);
  const nlohmann::json one = run_nonlinear("one_thread", deck, "--threads 1");
  for (const char* threads : {"2", "5"}) {
    const nlohmann::json several = run_nonlinear("threads", deck, std::string("--threads ") + threads);
    EXPECT_EQ(several["newton"].dump(), one["newton"].dump());
    EXPECT_EQ(several["errors"].dump(), one["errors"].dump());
    EXPECT_EQ(several["balance"].dump(), one["balance"].dump());
  }
}

TEST(Nonlinear, EveryStrategyAndFormatHasTheSolution) {
  const std::string deck = k_of_u("tet", 3, 3, 1);
  const double expected = run_nonlinear("auto", deck)["errors"]["u"]["l2"];
  for (const char* strategy : {"colour", "colour_blocks", "atomic", "two_pass", "shared", "nonzeros"})
    EXPECT_NEAR(run_nonlinear("strategy", deck,
                              std::string("--set 'assembly.strategy=\"") + strategy + "\"'")["errors"]["u"]["l2"],
                expected, 1e-10)
        << strategy;
  for (const char* format : {"crs", "ell", "sliced_ell", "packed_ell", "cmrs"})
    EXPECT_NEAR(
        run_nonlinear("format", deck, std::string("--set 'matrix.format=\"") + format + "\"'")["errors"]["u"]["l2"],
        expected, 1e-10)
        << format;
  for (const char* solver : {"gmres", "lu"})
    EXPECT_NEAR(
        run_nonlinear("solver", deck, std::string("--set 'solver.type=\"") + solver + "\"'")["errors"]["u"]["l2"],
        expected, 1e-10)
        << solver;
}

TEST(Nonlinear, StartsWhereTheDeckSaysWhateverTheSolver) {
  const std::string deck = k_of_u("triangle", 2, 6, 1) + "[[initial]]\nu = \"sin(x)*cos(y)\"\n";
  const nlohmann::json summary = run_nonlinear("from_initial", deck, "--set 'solver.type=\"lu\"'");
  EXPECT_LE(summary["newton"]["iterations"], 4);
  EXPECT_LT(summary["newton"]["history"][0]["correction"], 0.01);
}

TEST(Nonlinear, ExportsTheSystemOfTheFirstIterate) {
  // k = 1 + 0 u depends on u in name alone: its first iterate is the solution of the linear problem.
  const auto system = [](const std::string& name, const std::string& k) {
    const std::string deck =
        write_deck(name + ".toml", box_of("triangle", 2, 4) + poisson_of(1) + "[[material]]\ndiffusivity = \"" + k +
                                       "\"\nsource = \"x\"\n" + dirichlet_on("[\"left\", \"right\"]", "1 + y"));
    const fs::path file = folder() / (name + ".mtx");
    const Result result = app_test::tessera("export " + deck + " -o " + file.string());
    EXPECT_EQ(result.code, 0) << result.text;
    std::vector<double> numbers;
    for (const fs::path& one : {file, folder() / (name + "_b.mtx")}) {
      std::ifstream in(one);
      EXPECT_TRUE(in.good()) << one;
      std::string line;
      while (std::getline(in, line)) {
        if (line.starts_with("%")) continue;
        std::istringstream words(line);
        for (double value; words >> value;) numbers.push_back(value);
      }
    }
    return numbers;
  };
  const std::vector<double> linear = system("linear_system", "1"), nonlinear = system("nonlinear_system", "1 + 0*u");
  ASSERT_EQ(linear.size(), nonlinear.size());
  ASSERT_GT(linear.size(), 100u);
  for (std::size_t i = 0; i < linear.size(); ++i) ASSERT_NEAR(nonlinear[i], linear[i], 1e-13) << i;
}

TEST(Nonlinear, CudaHasTheSolutionOfThreadsBitForBitInEveryRun) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  const std::string deck = k_of_u("tet", 3, 6, 2);
  const nlohmann::json threads = run_nonlinear("on_threads", deck),
                       first = run_nonlinear("on_cuda", deck, "--backend cuda");
  EXPECT_NEAR(first["errors"]["u"]["l2"], double(threads["errors"]["u"]["l2"]), 1e-9);
  EXPECT_EQ(first["newton"]["iterations"], threads["newton"]["iterations"]);
  for (int run = 0; run < 9; ++run) {
    const nlohmann::json again = run_nonlinear("on_cuda", deck, "--backend cuda");
    EXPECT_EQ(again["newton"].dump(), first["newton"].dump());
    EXPECT_EQ(again["errors"].dump(), first["errors"].dump());
  }
}

}  // namespace
