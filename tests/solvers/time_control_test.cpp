// Loops over time: steps chosen for a tolerance, ends, what they cost, repeatability, ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/link.hpp"
#include "solvers/time/rkc.hpp"
#include "support/backends.hpp"
#include "time_problems.hpp"

namespace tessera {
namespace {

using solvers::StepControl;
using solvers::StepperParams;
using testing::Heat;
using testing::HostFunction;
using testing::Values;

const char* const pairs[] = {"cash_karp", "dormand_prince"};

template <class Exec>
struct TimeControl : ::testing::Test {};
TYPED_TEST_SUITE(TimeControl, testing::Backends);

/// Falls back to (cos t, sin 2t) at this rate and faster: errors of steps do not add up.
Values falling_back(double rate, double t, const Values& u) {
  const double off = u[0] - std::cos(t), off2 = u[1] - std::sin(2 * t);
  return {-rate * off - std::sin(t), -rate * (off2 + std::pow(off2, 3)) + 2 * std::cos(2 * t)};
}

TYPED_TEST(TimeControl, MeetsTheTolerance) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  struct Case {
    const char* scheme;
    double rate, tolerance;
  };
  for (const Case c : {Case{"cash_karp", 20, 1e-4},
                       {"cash_karp", 20, 1e-6},
                       {"cash_karp", 20, 1e-8},
                       {"dormand_prince", 20, 1e-4},
                       {"dormand_prince", 20, 1e-6},
                       {"dormand_prince", 20, 1e-8},
                       {"rkc", 500, 1e-3},
                       {"rkc", 500, 1e-4},
                       {"rkc", 500, 1e-5}}) {
    const auto stepper = solvers::make_stepper(exec, 2, {.scheme = c.scheme, .adaptive = true});
    HostFunction<TypeParam> f([&](double t, const Values& u) { return falling_back(c.rate, t, u); });
    StepControl control{.tolerance = {c.tolerance, c.tolerance}};
    double worst = 0;
    auto u = to_space<typename TypeParam::Space>(Values{2, 0.5});
    const solvers::StepMonitor monitor{.accepted = [&](Offset, double t, double) {
      if (t > 1) worst = std::max(worst, testing::largest_difference(to_vector(u), {std::cos(t), std::sin(2 * t)}));
    }};
    const auto report = solvers::advance(exec, *stepper, f, 0, 10, control, u.view(), monitor);
    EXPECT_TRUE(report.finished) << report.failure;
    EXPECT_LE(worst, 3 * c.tolerance) << c.scheme;
    EXPECT_GE(worst, c.tolerance / 1000) << c.scheme;  // no more work than was asked for
  }
}

/// Arenstorf's orbit: Hairer, Norsett & Wanner I, section II.0.
Values arenstorf(double, const Values& u) {
  const double mu = 0.012277471, nu = 1 - mu;
  const double d1 = std::pow((u[0] + mu) * (u[0] + mu) + u[1] * u[1], 1.5);
  const double d2 = std::pow((u[0] - nu) * (u[0] - nu) + u[1] * u[1], 1.5);
  return {u[2], u[3], u[0] + 2 * u[3] - nu * (u[0] + mu) / d1 - mu * (u[0] - nu) / d2,
          u[1] - 2 * u[2] - nu * u[1] / d1 - mu * u[1] / d2};
}

TYPED_TEST(TimeControl, BringsArenstorfsSatelliteBack) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Values start = {0.994, 0, 0, -2.00158510637908252240537862224};
  for (const char* scheme : pairs) {
    const auto stepper = solvers::make_stepper(exec, 4, {.scheme = scheme, .adaptive = true});
    HostFunction<TypeParam> f(arenstorf);
    StepControl control{.tolerance = {1e-9, 1e-9}};
    const auto advanced =
        testing::advance_within(exec, *stepper, f, 0, 17.0652165601579625588917206249, control, start);
    const solvers::TimeReport& report = advanced.report;
    ASSERT_TRUE(report.finished) << report.failure;
    EXPECT_LE(std::hypot(advanced.u[0] - start[0], advanced.u[1] - start[1]), 1e-4) << scheme;
    EXPECT_GT(report.rejected, 0) << scheme;
    EXPECT_GT(report.steps, 100) << scheme;
    EXPECT_LT(report.steps, 600) << scheme;
    EXPECT_GT(report.dt_max, 100 * report.dt_min) << scheme;
    // Six evaluations a step, and one more to choose the first step. What a step that is taken back has found at its
    // beginning is not asked for again.
    const Offset expected = std::strcmp(scheme, "cash_karp") == 0 ? 1 + 6 * report.steps + 5 * report.rejected
                                                                  : 2 + 6 * (report.steps + report.rejected);
    EXPECT_EQ(report.evaluations, expected) << scheme;
    EXPECT_EQ(static_cast<Offset>(f.times.size()), expected) << scheme;
  }
}

/// Seven stars: [x, y, x', y'].
Values pleiades(double, const Values& u) {
  Values f(28);
  for (int i = 0; i < 7; ++i) {
    f[i] = u[14 + i], f[7 + i] = u[21 + i];
    for (int j = 0; j < 7; ++j) {
      if (j == i) continue;
      const double x = u[j] - u[i], y = u[7 + j] - u[7 + i], r = std::pow(x * x + y * y, 1.5);
      f[14 + i] += (j + 1) * x / r;
      f[21 + i] += (j + 1) * y / r;
    }
  }
  return f;
}

TYPED_TEST(TimeControl, MovesThePleiadesWhereTheyAreKnownToBe) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Values start = {3, 3, -1, -3, 2, -2,   2,    3, -3, 2, 0,     0, -4, 4,
                        0, 0, 0,  0,  0, 1.75, -1.5, 0, 0,  0, -1.25, 1, 0,  0};
  const Values known = {1.4870785157, 2.7039177143,  -0.607976049, -2.622479773,
                        1.7375571608, -0.1803021824, 0.544708655};
  for (const char* scheme : pairs) {
    const auto stepper = solvers::make_stepper(exec, 28, {.scheme = scheme, .adaptive = true});
    HostFunction<TypeParam> f(pleiades);
    StepControl control{.tolerance = {1e-10, 1e-10}};
    auto advanced = testing::advance_within(exec, *stepper, f, 0, 1, control, start);
    EXPECT_TRUE(advanced.report.finished) << advanced.report.failure;
    advanced.u.resize(7);
    EXPECT_LE(testing::largest_difference(advanced.u, known), 1e-9) << scheme;
  }
}

TYPED_TEST(TimeControl, OfChebyshevSchemesTakesLongStepsOnTheHeatEquation) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Heat heat{100};
  // u = sin(pi x) cos(t), and a part that decays at once.
  HostFunction<TypeParam> f([&](double t, const Values& u) {
    Values f = heat.apply(u);
    const Values sine = heat.sine();
    for (std::size_t i = 0; i < f.size(); ++i) f[i] += sine[i] * (heat.lowest() * std::cos(t) - std::sin(t));
    return f;
  });
  solvers::Rkc<TypeParam> rkc(exec, 99, {.scheme = "rkc", .adaptive = true});
  StepControl control{.tolerance = {1e-5, 1e-5}};
  Values start = heat.sine();
  for (std::size_t i = 0; i < start.size(); ++i) start[i] += i % 2 == 0 ? 0.1 : -0.1;
  const auto advanced = testing::advance_within(exec, rkc, f, 0, 3, control, start);
  ASSERT_TRUE(advanced.report.finished) << advanced.report.failure;
  Values exact = heat.sine();
  for (double& value : exact) value *= std::cos(3.0);
  EXPECT_LE(testing::largest_difference(advanced.u, exact), 3e-5);
  // Euler would need 60 000 evaluations.
  EXPECT_LT(advanced.report.evaluations, 8000);
  EXPECT_GT(advanced.report.dt_max * heat.highest(), 50);
}

TYPED_TEST(TimeControl, MeetsEndsExactlyWithTheStepsThatFit) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  struct Case {
    double t, end, dt;
    Offset steps;
  };
  for (const Case c : {Case{0, 1, 0.1, 10},
                       {0, 0.3, 0.1, 3},
                       {0.1, 0.4, 0.1, 3},
                       {0.3, 1.35, 0.1, 11},
                       {1e6, 1e6 + 1, 0.01, 100},
                       {0, 0.05, 0.1, 1},
                       {2, 2, 0.1, 0},
                       {0, 1, 1.0 / 3, 3}}) {
    const auto stepper = solvers::make_stepper(exec, 1, {.scheme = "rk4"});
    HostFunction<TypeParam> f([](double, const Values&) { return Values{1}; });
    Values times;
    const auto advanced = testing::advance_by(exec, *stepper, f, c.t, c.end, c.dt, {c.t},
                                              {.accepted = [&](Offset steps, double t, double) {
                                                times.push_back(t);
                                                EXPECT_EQ(steps, static_cast<Offset>(times.size()));
                                              }});
    EXPECT_TRUE(advanced.report.finished);
    EXPECT_EQ(advanced.report.steps, c.steps);
    EXPECT_EQ(advanced.report.t, c.end);
    if (c.steps > 0) {
      EXPECT_EQ(times.back(), c.end);
    }
    EXPECT_NEAR(advanced.u[0], c.end, 1e-15 * (1 + c.end) * static_cast<double>(1 + c.steps));
  }
}

TYPED_TEST(TimeControl, MeetsEndsExactlyWithoutCrumbsAndRemembersItsStep) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const auto& [scheme, accuracy] : {std::pair{"cash_karp", 3e-5}, {"dormand_prince", 3e-5}, {"rkc", 1e-3}}) {
    const auto stepper = solvers::make_stepper(exec, 3, {.scheme = scheme, .adaptive = true});
    HostFunction<TypeParam> f(testing::turning);
    StepControl control{.tolerance = {1e-6, 1e-6}};
    double t = 0;
    Values u = testing::turning_solution(0);
    for (double end : {0.1, 0.7, 1.1, 1.5}) {
      const auto advanced = testing::advance_within(exec, *stepper, f, t, end, control, u);
      EXPECT_TRUE(advanced.report.finished) << advanced.report.failure;
      EXPECT_EQ(advanced.report.t, end) << scheme;
      EXPECT_GE(advanced.report.dt_min, end / 1e3) << scheme;
      u = advanced.u;
      t = end;
    }
    EXPECT_GT(control.dt, 1e-3);
    EXPECT_LE(testing::largest_difference(u, testing::turning_solution(1.5)), accuracy) << scheme;
  }
}

TYPED_TEST(TimeControl, SharesWhatIsLeftBetweenTheLastTwoSteps) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const auto stepper = solvers::make_stepper(exec, 1, {.scheme = "dormand_prince", .adaptive = true});
  HostFunction<TypeParam> f([](double, const Values&) { return Values{1}; });
  StepControl control{.dt = 0.3, .most = 1.0001};
  Values steps;
  const auto advanced = testing::advance_within(exec, *stepper, f, 0, 1, control, {0},
                                                {.accepted = [&](Offset, double, double dt) { steps.push_back(dt); }});
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_NEAR(steps[1], 0.3, 1e-4);
  EXPECT_NEAR(steps[2], 0.2, 1e-4);
  EXPECT_NEAR(steps[3], 0.2, 1e-4);
  EXPECT_EQ(advanced.report.dt_min, std::min(steps[2], steps[3]));
  EXPECT_EQ(advanced.report.dt_max, *std::max_element(steps.begin(), steps.end()));
  // The next span goes on with the step that was cut.
  EXPECT_GE(control.dt, 0.3);
}

TYPED_TEST(TimeControl, TakesAStepBackBitwise) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const StepperParams& params : {StepperParams{.scheme = "cash_karp", .adaptive = true},
                                      {.scheme = "dormand_prince", .adaptive = true},
                                      {.scheme = "rkc", .adaptive = true, .stages = 2},
                                      {.scheme = "rkc", .adaptive = true, .stages = 5}}) {
    const auto stepper = solvers::make_stepper(exec, 3, params);
    HostFunction<TypeParam> f(testing::turning);
    const Values start = testing::turning_solution(0.2);
    auto u = to_space<typename TypeParam::Space>(start);
    const double error = stepper->step_with_error(f, 0.2, 0.3, {}, u);
    const Values after = to_vector(u);
    EXPECT_NE(after, start);
    stepper->undo(u);
    EXPECT_EQ(to_vector(u), start) << params.scheme;
    // The same step again is the same, though f at its beginning is not asked for again.
    const Offset evaluations = stepper->evaluations();
    EXPECT_EQ(stepper->step_with_error(f, 0.2, 0.3, {}, u), error) << params.scheme;
    EXPECT_EQ(to_vector(u), after) << params.scheme;
    EXPECT_EQ(stepper->evaluations() - evaluations, evaluations - 1) << params.scheme;
  }
}

TYPED_TEST(TimeControl, EvaluatesOnlyWhatAStepNeeds) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const solvers::Scheme& scheme : solvers::schemes()) {
    if (scheme.kind != solvers::SchemeKind::explicit_ || scheme.stages == 0) continue;
    const auto stepper = solvers::make_stepper(exec, 3, {.scheme = scheme.name});
    HostFunction<TypeParam> f(testing::turning);
    const auto advanced = testing::advance_by(exec, *stepper, f, 0, 1, 0.125, testing::turning_solution(0));
    EXPECT_EQ(advanced.report.evaluations, 8 * scheme.stages) << scheme.name;
  }
}

TYPED_TEST(TimeControl, CountsWhatAStepReadsAndWrites) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const auto bytes = [&](const char* scheme, bool adaptive) {
    return solvers::make_stepper(exec, 10, {.scheme = scheme, .adaptive = adaptive})->bytes_per_step(100) / 800;
  };
  EXPECT_EQ(bytes("euler", false), 3);  // reads u, k; writes u
  EXPECT_EQ(bytes("rk4", false), 15);   // three stages of u, k, y; u, four k, u
  EXPECT_EQ(bytes("ssp_rk3", false), 12);
  EXPECT_EQ(bytes("cash_karp", false), 31);
  EXPECT_EQ(bytes("cash_karp", true), 33);       // 3 + 4 + 5 + 6 + 7; five k, u twice, the old u
  EXPECT_EQ(bytes("dormand_prince", true), 41);  // the same stages; five k, u twice, the old u; six k, u, the old u
}

/// Steps of each kind on so many threads.
Values on_threads(int threads, const StepperParams& params) {
  Threads exec(threads);
  const int rows = 20001;
  const auto stepper = solvers::make_stepper(exec, rows, params);
  HostFunction<Threads> f([](double t, const Values& u) {
    Values f(u.size());
    for (std::size_t i = 0; i < u.size(); ++i)
      f[i] = 3 * (u[(i + 1) % u.size()] - 2 * u[i] + u[(i + u.size() - 1) % u.size()]) + std::sin(t + u[i]);
    return f;
  });
  Values u(rows);
  for (int i = 0; i < rows; ++i) u[static_cast<std::size_t>(i)] = std::sin(0.37 * i);
  if (!params.adaptive) return testing::advance_by(exec, *stepper, f, 0, 0.5, 0.05, u).u;
  StepControl control{.tolerance = {1e-5, 1e-5}};
  const auto advanced = testing::advance_within(exec, *stepper, f, 0, 0.5, control, u);
  EXPECT_TRUE(advanced.report.finished) << advanced.report.failure;
  u = advanced.u;
  u.push_back(advanced.report.dt_min);
  u.push_back(control.dt);
  return u;
}

TEST(TimeOnThreads, IsBitwiseTheSameWhateverTheirNumber) {
  for (const StepperParams& params : {StepperParams{.scheme = "rk4"},
                                      {.scheme = "low_storage_rk45"},
                                      {.scheme = "cash_karp", .adaptive = true},
                                      {.scheme = "dormand_prince", .adaptive = true},
                                      {.scheme = "rkc", .adaptive = true}}) {
    const Values one = on_threads(1, params), two = on_threads(2, params), three = on_threads(3, params);
    EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(double)), 0) << params.scheme;
    EXPECT_EQ(std::memcmp(one.data(), three.data(), one.size() * sizeof(double)), 0) << params.scheme;
  }
}

/// Two ranks, of which the other one has the same rows.
struct Twins : Communicator {
  Twins() { size_ = 2; }
  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    std::memcpy(all, mine, bytes);
    std::memcpy(static_cast<char*>(all) + bytes, mine, bytes);
  }
};
struct TwinLink : Link {
  explicit TwinLink(Communicator& ranks) : Link(ranks) {}
  const char* name() const override { return "twins"; }
  void start(const ExchangePlan&, const void*, void*, std::size_t) override {}
  void finish() override {}
  void sum_now(const std::vector<SumRange>& values) override {
    for (const SumRange& range : values)
      for (int i = 0; i < range.count; ++i) range.first[i] *= 2;
    ++sums;
  }
  int sums = 0;
};

TEST(TimeOverRanks, MeasuresErrorsAgainstTheRowsOfAll) {
  for (const char* scheme : {"cash_karp", "dormand_prince", "rkc"}) {
    const StepperParams params{.scheme = scheme, .adaptive = true};
    const auto run = [&](Link* link) {
      Threads exec(1);
      exec.set_link(link);
      const auto stepper = solvers::make_stepper(exec, 3, params);
      HostFunction<Threads> f(testing::turning);
      StepControl control{.tolerance = {1e-6, 1e-6}};
      return testing::advance_within(exec, *stepper, f, 0, 1, control, testing::turning_solution(0));
    };
    Twins ranks;
    TwinLink link(ranks);
    const auto alone = run(nullptr), together = run(&link);
    EXPECT_EQ(alone.u, together.u) << scheme;
    EXPECT_EQ(alone.report.steps, together.report.steps) << scheme;
    EXPECT_GE(link.sums, together.report.steps) << scheme;
  }
}

}  // namespace
}  // namespace tessera
