// Orders and errors of the methods for many small systems, and reactions with published solutions.
#include <gtest/gtest.h>

#include "odes_problems.hpp"
#include "support/backends.hpp"
#include "support/orders.hpp"

namespace tessera {
namespace {

using testing::Reacted;
using testing::Values;

template <class Exec>
struct OdeOrders : ::testing::Test {};
TYPED_TEST_SUITE(OdeOrders, testing::Backends);

TYPED_TEST(OdeOrders, AreThoseOfTheTableAlsoWhereRatesDependOnTime) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  int seen = 0;
  for (const solvers::OdeMethod& method : solvers::ode_methods()) {
    double errors[2];
    for (int i = 0; i < 2; ++i) {
      const int steps = 40 << i;
      const double end = 1.5, dt = end / steps;
      solvers::OdeSystems<TypeParam, testing::Turning> systems(exec, {}, 1, testing::steps_of_calls(method.name));
      auto u = to_space<typename TypeParam::Space>(testing::turning_solution(0));
      for (int k = 0; k < steps; ++k) {
        const solvers::OdeReport report = systems.advance(k * dt, dt, u.view());
        ASSERT_EQ(report.steps, 1) << method.name;
        ASSERT_EQ(report.failed, 0) << report.failure;
      }
      errors[i] = testing::largest_difference(to_vector(u), testing::turning_solution(end));
    }
    const double order = testing::observed_order(errors[0], errors[1]);
    EXPECT_GE(order, method.order - 0.15) << method.name;
    EXPECT_LE(order, method.order + 1.1) << method.name;
    ++seen;
  }
  EXPECT_EQ(seen, 3);
}

/// The Brusselator at t = 10 from (1.5, 3), by dormand_prince of solvers/time with a tolerance of 1e-13.
Values brusselator_reference(const Values& u0, double end) {
  Threads exec(1);
  const auto stepper = solvers::make_stepper(exec, 2, {.scheme = "dormand_prince", .adaptive = true});
  testing::HostFunction<Threads> f([](double t, const Values& u) {
    Values du(2);
    solvers::Brusselator{}.rates(u.data(), t, du.data());
    return du;
  });
  solvers::StepControl control{.tolerance = {1e-13, 1e-13}};
  const auto advanced = testing::advance_within(exec, *stepper, f, 0, end, control, u0);
  EXPECT_TRUE(advanced.report.finished) << advanced.report.failure;
  return advanced.u;
}

TYPED_TEST(OdeOrders, MakeErrorsFollowTheTolerance) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Values start = {1.5, 3}, reference = brusselator_reference(start, 10);
  for (const solvers::OdeMethod& method : solvers::ode_methods()) {
    double last = 1;
    Offset last_steps = 0;
    for (double tolerance : {1e-4, 1e-6, 1e-8}) {
      const Reacted reacted = testing::react(exec, {.name = "brusselator"},
                                             testing::ode_options(method.name, tolerance, tolerance), 10, start);
      EXPECT_EQ(reacted.report.failure, "");
      const double error = testing::largest_relative_difference(reacted.u, reference);
      EXPECT_LE(error, 60 * tolerance) << method.name << " " << tolerance;
      EXPECT_LE(error, last / 4) << method.name << " " << tolerance;
      EXPECT_GT(reacted.report.steps, last_steps);
      last = error;
      last_steps = reacted.report.steps;
    }
  }
}

/// Robertson's reaction: E. Hairer & G. Wanner's test set has the digits at 1e11 (Mazzia & Magherini, Test Set for
/// Initial Value Problem Solvers, 2008); t = 40 is theirs as well. The others are from Radau IIA of order 5 in
/// extended precision with 240 steps a decade, which has these digits at 40 and 1e11, and with 120 the same.
struct Moment {
  double t;
  Values u;
};
const std::vector<Moment>& robertson_moments() {
  static const std::vector<Moment> moments = {
      {40, {0.7158270687194, 0.91855347645578e-5, 0.2841637457458}},
      {400, {0.4505186684711, 0.32229014416746e-5, 0.5494781086275}},
      {4e4, {0.3898337708548e-1, 0.16217683159096e-6, 0.9610164607377}},
      {4e10, {0.5208345176799e-7, 0.20833381779255e-12, 0.9999999479163}},
      {1e11, {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050}},
  };
  return moments;
}

TYPED_TEST(OdeOrders, FollowRobertsonsReactionOverElevenDecadesAndKeepItsSum) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const auto& params : {solvers::ReactionParams{.name = "robertson"}, testing::robertson_as_table()}) {
    const auto step = solvers::make_reaction_step(exec, params, 1, testing::ode_options("rosenbrock", 1e-7, 1e-18));
    Values u = {1, 0, 0};
    double t = 0;
    Offset steps = 0;
    for (const Moment& moment : robertson_moments()) {
      const Reacted reacted = testing::react(*step, t, moment.t - t, u);
      ASSERT_EQ(reacted.report.failure, "");
      steps += reacted.report.steps;
      u = reacted.u;
      t = moment.t;
      EXPECT_LE(testing::largest_relative_difference(u, moment.u), 2e-5) << t;
      EXPECT_NEAR(u[0] + u[1] + u[2], 1, 1e-12) << t;
    }
    EXPECT_LE(steps, 4000);
  }
}

TYPED_TEST(OdeOrders, KeepTheSumOfTheSpeciesToRounding) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const solvers::OdeMethod& method : solvers::ode_methods()) {
    const Reacted reacted =
        testing::react(exec, {.name = "robertson"}, testing::ode_options(method.name, 1e-6, 1e-12), 0.3, {1, 0, 0});
    EXPECT_EQ(reacted.report.failure, "");
    EXPECT_GT(reacted.u[2], 0.003);
    EXPECT_NEAR(reacted.u[0] + reacted.u[1] + reacted.u[2], 1, 1e-14) << method.name;
  }
}

TYPED_TEST(OdeOrders, FollowTheOregonatorThroughItsCycle) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // t = 360 of the Test Set for Initial Value Problem Solvers.
  const Values expected = {0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3};
  const Reacted reacted =
      testing::react(exec, {.name = "oregonator"}, testing::ode_options("rosenbrock", 1e-8, 1e-10), 360, {1, 2, 3});
  EXPECT_EQ(reacted.report.failure, "");
  EXPECT_LE(testing::largest_relative_difference(reacted.u, expected), 1e-4);
}

TYPED_TEST(OdeOrders, OfExponentialsDoNotMatterForLinearReactionsWhichTheySolveInOneStep) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // A -> B -> C with times 1000 apart: rounding is that of t fast units of the last digit.
  const double fast = 1e3, slow = 1, t = 2;
  solvers::OdeOptions options = testing::ode_options("exponential", 1e-10, 1e-10);
  options.first_step = t;
  const Reacted reacted = testing::react(
      exec, testing::mass_action({"A", "B", "C"}, {{"A -> B", fast}, {"B -> C", slow}}), options, t, {1, 0, 0});
  EXPECT_EQ(reacted.report.steps, 1);
  EXPECT_EQ(reacted.report.rejected, 0);
  const double b = fast / (fast - slow) * (std::exp(-slow * t) - std::exp(-fast * t));
  EXPECT_NEAR(reacted.u[0], 0, 1e-12);
  EXPECT_NEAR(reacted.u[1], b, 1e-12);
  EXPECT_NEAR(reacted.u[2], 1 - b, 1e-12);
}

}  // namespace
}  // namespace tessera
