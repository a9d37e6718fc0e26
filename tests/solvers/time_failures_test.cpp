// What loops over time say where they cannot go on, and what is refused.
#include <gtest/gtest.h>

#include <limits>

#include "base/error.hpp"
#include "support/backends.hpp"
#include "time_problems.hpp"

namespace tessera {
namespace {

using solvers::StepControl;
using solvers::StepperParams;
using testing::HostFunction;
using testing::Values;

template <class Exec>
struct TimeFailures : ::testing::Test {};
TYPED_TEST_SUITE(TimeFailures, testing::Backends);

TYPED_TEST(TimeFailures, SaysInWhichFixedStepTheSolutionWasLost) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const char* scheme : {"rk4", "low_storage_rk45", "rkc"}) {
    const auto stepper = solvers::make_stepper(exec, 2, {.scheme = scheme, .stages = 4});
    HostFunction<TypeParam> f([](double t, const Values& u) {
      return Values{u[0], t > 1.25 ? std::numeric_limits<double>::quiet_NaN() : u[1]};
    });
    const auto report = testing::advance_by(exec, *stepper, f, 0, 4, 0.1, {1, 1}).report;
    EXPECT_FALSE(report.finished);
    EXPECT_NE(report.failure.find("not finite after step 13, t = 1.3:"), std::string::npos) << report.failure;
    EXPECT_GE(report.steps, 13);
    EXPECT_LT(report.steps, 23);
  }
}

TYPED_TEST(TimeFailures, SaysWhereStepsOfAToleranceCannotGoOn) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const char* scheme : {"cash_karp", "dormand_prince", "rkc"}) {
    const StepperParams params{.scheme = scheme, .adaptive = true};
    // u = 1 / (1 - t) ends at t = 1.
    HostFunction<TypeParam> singular([](double, const Values& u) { return Values{u[0] * u[0]}; });
    StepControl control{.tolerance = {1e-4, 1e-4}};
    auto report =
        testing::advance_within(exec, *solvers::make_stepper(exec, 1, params), singular, 0, 2, control, {1}).report;
    EXPECT_FALSE(report.finished);
    EXPECT_NEAR(report.t, 1, 0.01) << scheme;
    EXPECT_FALSE(report.failure.empty());
    // f has no value from t = 0.5 on.
    HostFunction<TypeParam> lost(
        [](double t, const Values& u) { return Values{t > 0.5 ? std::numeric_limits<double>::quiet_NaN() : -u[0]}; });
    control = {.tolerance = {1e-4, 1e-4}};
    const auto advanced =
        testing::advance_within(exec, *solvers::make_stepper(exec, 1, params), lost, 0, 2, control, {1});
    EXPECT_FALSE(advanced.report.finished);
    EXPECT_NEAR(advanced.report.t, 0.5, 1e-10) << scheme;
    EXPECT_NEAR(advanced.u[0], std::exp(-0.5), 1e-3) << scheme;  // what is left is a solution
    EXPECT_NE(advanced.report.failure.find("not finite in any step after step"), std::string::npos)
        << advanced.report.failure;
    control = {.tolerance = {1e-4, 1e-4}};
    report = testing::advance_within(exec, *solvers::make_stepper(exec, 1, params), singular, 0, 2, control,
                                     {std::numeric_limits<double>::infinity()})
                 .report;
    EXPECT_NE(report.failure.find("before the first step"), std::string::npos) << report.failure;
    EXPECT_EQ(report.evaluations, 0);
  }
}

TYPED_TEST(TimeFailures, StopsWhenAsked) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const auto stepper = solvers::make_stepper(exec, 3, {.scheme = "dormand_prince", .adaptive = true});
  HostFunction<TypeParam> f(testing::turning);
  int asked = 0;
  const solvers::StepMonitor monitor{.stop = [&] { return ++asked > 3; }};
  const auto fixed = testing::advance_by(exec, *stepper, f, 0, 1, 0.125, testing::turning_solution(0), monitor).report;
  EXPECT_TRUE(fixed.interrupted && !fixed.finished);
  EXPECT_EQ(fixed.steps, 3);
  EXPECT_EQ(fixed.t, 0.375);
  asked = 0;
  StepControl control;
  const auto chosen =
      testing::advance_within(exec, *stepper, f, 0, 1, control, testing::turning_solution(0), monitor).report;
  EXPECT_TRUE(chosen.interrupted && !chosen.finished);
  EXPECT_EQ(chosen.steps + chosen.rejected, 3);
}

TYPED_TEST(TimeFailures, RefusesWhatHasNoMeaning) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  EXPECT_THROW(solvers::make_stepper(exec, 3, {.scheme = "bdf2"}), Error);
  EXPECT_THROW(solvers::make_stepper(exec, 3, {.scheme = "newmark"}), Error);
  EXPECT_THROW(solvers::make_stepper(exec, 3, {.scheme = "rkc", .stages = 1}), Error);
  try {
    solvers::make_stepper(exec, 3, {.scheme = "rk4", .adaptive = true});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the scheme 'rk4' does not estimate its error, so it cannot choose its step for a tolerance");
    EXPECT_NE(error.help().find("cash_karp, dormand_prince"), std::string::npos) << error.help();
  }
  const auto stepper = solvers::make_stepper(exec, 3, {.scheme = "cash_karp", .adaptive = true});
  HostFunction<TypeParam> f(testing::turning);
  const Values u = testing::turning_solution(0);
  for (double dt : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(testing::advance_by(exec, *stepper, f, 0, 1, dt, u), Error);
  EXPECT_THROW(testing::advance_by(exec, *stepper, f, 1, 0, 0.1, u), Error);
  EXPECT_THROW(testing::advance_by(exec, *stepper, f, 0, 1, 1e-300, u), Error);
  StepControl control{.tolerance = {1e-4, 0}};
  EXPECT_THROW(testing::advance_within(exec, *stepper, f, 0, 1, control, u), Error);
}

}  // namespace
}  // namespace tessera
