// What a relaxation reports, and what it refuses.
#include "base/error.hpp"
#include "solvers/lmsor_cases.hpp"

namespace tessera::solvers::grid {
namespace {

using namespace testing_lmsor;

template <class Exec>
class LmsorReports : public ::testing::Test {};
TYPED_TEST_SUITE(LmsorReports, testing::Backends);

TYPED_TEST(LmsorReports, DampsWhenTheResidualGrows) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Wind wind = winds(1e4)[3];
  const Case c = error_case(160, wind.f, wind.g);
  const Solved cured = solve(exec, c, {.tolerance = 1e-6, .max_iterations = 3000});
  EXPECT_TRUE(cured.report.converged) << cured.report.failure;
  EXPECT_GE(cured.report.restarts, 1);
  EXPECT_NEAR(cured.report.damping, std::pow(0.7, cured.report.restarts), 1e-12);
  EXPECT_GT(cured.report.mixed_points, 0);
  EXPECT_EQ(cured.report.warnings.size(), 3u) << "both winds and the damping";

  const Solved undamped = solve(exec, c, {.tolerance = 1e-6, .max_iterations = 3000, .damping = 1});
  EXPECT_FALSE(undamped.report.converged);
  EXPECT_NE(undamped.report.failure.find("the residual grew"), std::string::npos) << undamped.report.failure;
}

TYPED_TEST(LmsorReports, ReportsWhatItDid) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Wind wind = winds(10)[1];
  const Case c = make_case(
      {40, 50}, wind.f, wind.g, [](double, double) { return 1.0; }, zero, zero);
  const Solved solved = solve(exec, c, {.check_every = 5});
  EXPECT_TRUE(solved.report.converged);
  EXPECT_TRUE(solved.report.warnings.empty());
  EXPECT_EQ(solved.report.iterations % 5, 0);
  EXPECT_EQ(solved.report.history.size(), 1u + static_cast<std::size_t>(solved.report.iterations) / 5);
  EXPECT_DOUBLE_EQ(solved.report.history.front(), 1) << "the start is 0";
  EXPECT_LE(solved.report.relative_residual, 1e-8);
  EXPECT_GT(solved.report.omega_min, 1);
  EXPECT_LT(solved.report.omega_max, 2);

  const Solved short_run = solve(exec, c, {.max_iterations = 7, .check_every = 5});
  EXPECT_EQ(short_run.report.iterations, 7);
  EXPECT_FALSE(short_run.report.converged);
  EXPECT_NE(short_run.report.failure.find("7 iterations"), std::string::npos);

  Case done = c;
  done.u = solved.u;
  const Solved again = solve(exec, done, {.tolerance = 1e-7});
  EXPECT_TRUE(again.report.converged);
  EXPECT_EQ(again.report.iterations, 0) << "the start is good enough";
  EXPECT_EQ(again.u, done.u) << "and stays as it is";

  const Solved nothing = solve(exec, make_case({5, 5}, wind.f, wind.g, {}, zero, zero), {});
  EXPECT_TRUE(nothing.report.converged);
  EXPECT_EQ(nothing.report.iterations, 0);
}

// A start better than float can hold is no divergence.
TYPED_TEST(LmsorReports, AStartBelowRoundingIsNoDivergence) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = small_exec<TypeParam>();
  const Wind wind = winds(10)[1];
  Case c = make_case(
      {40, 50}, wind.f, wind.g, [](double, double) { return 1.0; }, zero, zero);
  c.u = solve(exec, c, {.tolerance = 1e-12}).u;
  const Solved single = solve(exec, c, {.tolerance = 1e-14, .precision = "float"});
  EXPECT_EQ(single.report.restarts, 0);
  EXPECT_NE(single.report.failure.find("rounding of float"), std::string::npos) << single.report.failure;
  for (const char* precision : {"double", "float"}) {
    const Solved by_update = solve(exec, c, {.stop = "update", .tolerance = 1e-9, .precision = precision});
    EXPECT_TRUE(by_update.report.converged) << by_update.report.failure;
    EXPECT_EQ(by_update.report.restarts, 0);
  }
}

TYPED_TEST(LmsorReports, TheMonitorWatchesAndStops) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const Case c = error_case(50, zero, zero);
  const auto f = to_space<Space>(c.f);
  auto u = to_space<Space>(c.u);
  std::vector<int> seen;
  Monitor monitor{[&](int iteration, double) { seen.push_back(iteration); }, [&] { return seen.size() == 3; }};
  const LmsorReport report =
      solve_lmsor(exec, LmsorProblem{c.m, c.h, f, {}, {}}, u.view(), {.check_every = 4}, monitor);
  EXPECT_TRUE(report.interrupted);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(seen, (std::vector<int>{4, 8, 12}));
}

TYPED_TEST(LmsorReports, NamesValuesThatAreNotFinite) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Case good = make_case({6, 7}, zero, zero, zero, zero, zero);
  const auto expect_named = [&](const Case& bad, const std::string& text) {
    try {
      solve(exec, bad, {});
      FAIL() << "not seen: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::solver);
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  const double nan = std::nan(""), infinity = HUGE_VAL;
  Case bad = good;
  bad.f[2 + 3 * 6] = nan;
  expect_named(bad, "f is not finite at node (3, 4)");
  bad = good;
  bad.g[0] = infinity;
  expect_named(bad, "g is not finite at node (1, 1)");
  bad = good;
  bad.source[41] = -infinity;
  expect_named(bad, "source is not finite at node (6, 7)");
  bad = good;
  bad.u[bad.node(0, 3)] = nan;
  expect_named(bad, "u is not finite at node (0, 3)");
  bad = good;
  bad.f[5] = 1e200;
  expect_named(bad, "relaxation has room for 1e+100");
  bad = good;
  bad.u[bad.node(0, 0)] = nan;
  EXPECT_TRUE(solve(exec, bad, {}).report.converged) << "corners are not read";
}

TEST(LmsorErrors, NameWhatIsWrong) {
  const auto refused = [](LmsorParams params, const std::string& text, const std::string& backend = "threads") {
    try {
      check(params, backend);
      FAIL() << "not refused: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
      EXPECT_FALSE(error.help().empty());
    }
  };
  refused({.method = "lsorr"}, "'lsorr'");
  refused({.method = "sor", .omega = 2}, "factor of 2");
  refused({.method = "lsor", .omega = 1.5}, "takes omega from the coefficients");
  refused({.method = "sor", .omega_black = 1.5}, "only msor");
  refused({.stop = "error"}, "solver.stop is 'error'");
  refused({.tolerance = 0}, "solver.tolerance is 0");
  refused({.max_iterations = -1}, "max_iterations is -1");
  refused({.check_every = -1}, "check_every is -1");
  refused({.check_every = 1001}, "check_every is 1001");
  refused({.tolerance = 2}, "tolerance is 2");
  refused({.recompute = "some"}, "'some'");
  refused({.access = "surface"}, "'surface'");
  refused({.access = "shared"}, "on threads");
  refused({.granularity = 3}, "granularity is 3", "cuda");
  refused({.granularity = 2}, "on threads");
  refused({.blocking = 9}, "blocking is 9");
  refused({.granularity = 2, .blocking = 2}, "choices of half iterations", "cuda");
  refused({.recompute = "none", .blocking = 2}, "recompute = \"none\"", "cuda");
  refused({.damping = 0}, "damping is 0");
  refused({.precision = "mixed"}, "no precision 'mixed'");

  Threads exec;
  Values u(9);
  const View<double> view(u.data(), 9);
  const auto solve_refused = [&](const LmsorProblem& problem, const std::string& text) {
    try {
      solve_lmsor(exec, problem, view);
      FAIL() << "not refused: " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  solve_refused({.m = {0, 1}}, "0 x 1 interior");
  solve_refused({.h = {0, 1}}, "spacings");
  solve_refused({.m = {2, 1}}, "u has 9 values, the grid with its rim 12");
  solve_refused({.f = View<const double>(u.data(), 4)}, "4 coefficients for 1");
}

}  // namespace
}  // namespace tessera::solvers::grid
