// What nodes share and what they do not: independence, threads, layouts, remembered steps, failures.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "odes_problems.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using testing::Reacted;
using testing::Values;

template <class Exec>
struct OdeNodes : ::testing::Test {};
TYPED_TEST_SUITE(OdeNodes, testing::Backends);

/// [2, count]: states of a Brusselator that all differ.
Values many_states(int count) {
  Values u;
  for (int i = 0; i < count; ++i) u.push_back(1 + 0.5 * std::sin(i));
  for (int i = 0; i < count; ++i) u.push_back(2 + std::cos(3 * i));
  return u;
}

TYPED_TEST(OdeNodes, DoNotFeelAStiffNodeAmongThem) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const int count = 200, stiff = 77;
  for (const solvers::OdeMethod& method : solvers::ode_methods()) {
    const solvers::OdeOptions options = testing::ode_options(method.name, 1e-6, 1e-8);
    const Values start = many_states(count);
    Values changed = start;
    changed[count + stiff] = 60;  // rates at this node are some hundred times faster
    const Reacted easy = testing::react(exec, {.name = "brusselator"}, options, 1, start),
                  mixed = testing::react(exec, {.name = "brusselator"}, options, 1, changed);
    EXPECT_EQ(mixed.report.failed, 0) << mixed.report.failure;
    EXPECT_GT(mixed.report.most_steps, 2 * easy.report.most_steps) << method.name;
    for (int i = 0; i < 2 * count; ++i) {
      if (i % count == stiff)
        EXPECT_NE(easy.u[i], mixed.u[i]);
      else
        EXPECT_EQ(easy.u[i], mixed.u[i]) << method.name << " " << i;
    }
  }
}

TEST(OdeThreads, OfAnyNumberGiveTheSameBitsAndTheSameReport) {
  const Values start = many_states(5000);
  for (const solvers::OdeMethod& method : solvers::ode_methods()) {
    const solvers::OdeOptions options = testing::ode_options(method.name, 1e-5, 1e-8);
    Threads one(1), two(2);
    const Reacted first = testing::react(one, {.name = "brusselator"}, options, 2, start),
                  second = testing::react(two, {.name = "brusselator"}, options, 2, start);
    EXPECT_EQ(first.u, second.u) << method.name;
    EXPECT_EQ(first.report.steps, second.report.steps);
    EXPECT_EQ(first.report.rejected, second.report.rejected);
    EXPECT_EQ(first.report.most_steps, second.report.most_steps);
    EXPECT_GT(first.report.rejected, 0) << method.name;
  }
}

TYPED_TEST(OdeNodes, StandInAnyLayoutAndWhatLiesBetweenStays) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const int count = 50;
  const Values start = many_states(count);
  const Reacted plain = testing::react(exec, {.name = "brusselator"}, {}, 1, start);
  // Node by node with a third number beside the two species, and species by species with a gap.
  for (const solvers::NodeLayout& layout : {solvers::NodeLayout{3, 1}, solvers::NodeLayout{1, count + 7}}) {
    Values u(3 * count, -5.0);
    for (int i = 0; i < count; ++i)
      for (int c = 0; c < 2; ++c) u[i * layout.node_stride + c * layout.component_stride] = start[c * count + i];
    auto on_backend = to_space<typename TypeParam::Space>(u);
    const auto step = physics::reaction_diffusion::make_reaction_step(exec, {.name = "brusselator"}, count);
    const solvers::OdeReport report = step->advance(0, 1, on_backend.view(), layout);
    EXPECT_EQ(report.steps, plain.report.steps);
    for (int i = 0; i < count; ++i)
      for (int c = 0; c < 2; ++c) u[i * layout.node_stride + c * layout.component_stride] = plain.u[c * count + i];
    EXPECT_EQ(to_vector(on_backend), u);
  }
}

TYPED_TEST(OdeNodes, GoOnWithTheStepsThatTheyRemember) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  solvers::OdeOptions options = testing::ode_options("rosenbrock", 1e-5, 1e-8);
  options.first_step = 1e-7;  // steps grow five times at most, so that each beginning costs six or more
  const int count = 10, calls = 8;
  const double dt = 0.25;
  const auto steps_of = [&](bool remember) {
    const auto step = physics::reaction_diffusion::make_reaction_step(exec, {.name = "brusselator"}, count, options);
    Values u = many_states(count);
    Offset steps = 0;
    for (int k = 0; k < calls; ++k) {
      const Reacted reacted = testing::react(*step, k * dt, dt, u);
      u = reacted.u;
      steps += reacted.report.steps;
      if (!remember) step->forget();
    }
    return steps;
  };
  const Reacted whole = testing::react(exec, {.name = "brusselator"}, options, calls * dt, many_states(count));
  // Each end of a call costs a node about a step.
  EXPECT_LE(steps_of(true), whole.report.steps + 2 * count * calls);
  EXPECT_GE(steps_of(false), steps_of(true) + 5 * count * (calls - 1));
}

TYPED_TEST(OdeNodes, RememberTheStepBeforeItWasShortenedForTheEnd) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  solvers::OdeOptions options = testing::ode_options("cash_karp", 1e-3, 1e-3);
  options.first_step = 0.5;
  solvers::OdeSystems<TypeParam, physics::reaction_diffusion::Brusselator> systems(exec, {}, 1, options);
  auto u = to_space<typename TypeParam::Space>(Values{1, 3});  // its equilibrium: every step is exact
  const auto next = [&] {
    Values result(1);
    copy_bytes(typename TypeParam::Space{}, systems.next_steps().data(), Host{}, result.data(), sizeof(double));
    return result[0];
  };
  EXPECT_EQ(next(), 0);
  EXPECT_EQ(systems.advance(0, 0.01, u.view()).steps, 1);
  EXPECT_EQ(next(), 0.5);
  EXPECT_EQ(systems.advance(0.01, 1, u.view()).steps, 2);
  EXPECT_EQ(next(), 2.5);
  EXPECT_EQ(systems.bytes(), 32);
  systems.forget();
  EXPECT_EQ(next(), 0);
}

TYPED_TEST(OdeNodes, ThatBlowUpAreReportedWithTheirTimeAndTheOthersGoOn) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // u' = u^3: u = (1 / u0^2 - 2 t)^(-1/2) is infinite at 1 / (2 u0^2).
  const auto params = testing::mass_action({"A"}, {{"3 A -> 4 A", 1}});
  const Values start = {0.1, 0.2, 2, 0.5, 1};
  for (const solvers::OdeMethod& method : solvers::ode_methods()) {
    const Reacted reacted = testing::react(exec, params, testing::ode_options(method.name, 1e-6, 1e-8), 1, start);
    EXPECT_EQ(reacted.report.failed, 2);
    EXPECT_EQ(reacted.report.first_failed, 2);
    EXPECT_NEAR(reacted.report.first_failed_t, 0.125, 1e-4);
    EXPECT_NE(reacted.report.failure.find("2 of 5 nodes did not reach t = 1; the first, node 2, stopped at t = 0.125"),
              std::string::npos)
        << reacted.report.failure;
    for (int i : {0, 1, 3})
      EXPECT_NEAR(reacted.u[i] * std::sqrt(1 / (start[i] * start[i]) - 2), 1, 1e-4) << method.name;
    for (int i : {2, 4}) EXPECT_GT(reacted.u[i], 1e4);
  }
}

TYPED_TEST(OdeNodes, AreNotFollowedBeyondThePoleOfASolutionThatARationalMethodContinuesThere) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // u' = k u^2: u = 1 / (1 / u0 - k t), once alone and once with a second species of the same fate, so that two
  // eigenvalues pass 2 / h together. Unstable states that are at rest stay there, in a few steps.
  for (const solvers::OdeMethod& method : solvers::ode_methods())
    for (double k : {1.3, 15.0, 1e3, 1e20}) {
      const auto options = testing::ode_options(method.name, 1e-6, 1e-8);
      const Reacted one = testing::react(exec, testing::mass_action({"A"}, {{"2 A -> 3 A", k}}), options, 1, {1, 0}),
                    two = testing::react(exec, testing::mass_action({"A", "B"}, {{"2 A -> 3 A", k}, {"2 B -> 3 B", k}}),
                                         options, 1, {1, 0.1 / k, 1, 0.2 / k});
      for (const Reacted* reacted : {&one, &two}) {
        EXPECT_EQ(reacted->report.failed, 1) << method.name << " " << k;
        EXPECT_NEAR(reacted->report.first_failed_t * k, 1, 1e-3) << method.name << " " << k;
        EXPECT_GT(reacted->u[0], 1e3) << method.name << " " << k;
      }
      EXPECT_EQ(one.u[1], 0) << method.name;
      EXPECT_NEAR(two.u[1] * k, 1 / 9.0, 0.01) << method.name << " " << k;
    }
}

TYPED_TEST(OdeNodes, ThatAreNotFiniteOrTakeTooManyStepsAreReportedInWords) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const double nan = std::nan("");
  for (const solvers::OdeMethod& method : solvers::ode_methods()) {
    const Reacted reacted = testing::react(exec, {.name = "brusselator"}, testing::ode_options(method.name, 1e-4, 1e-6),
                                           1, {1, 1, nan, 1, 2, 2, 2, HUGE_VAL});
    EXPECT_EQ(reacted.report.failed, 2);
    EXPECT_EQ(reacted.report.first_failed, 2);
    EXPECT_EQ(reacted.report.first_failed_t, 0);
    EXPECT_NE(reacted.report.failure.find("are not finite"), std::string::npos) << reacted.report.failure;
    EXPECT_EQ(reacted.u[0], reacted.u[1]);
    EXPECT_TRUE(std::isfinite(reacted.u[0]));
    EXPECT_EQ(reacted.u[7], HUGE_VAL);
  }
  // Robertson's reaction is stiff: what is no method for that is stuck, and says so.
  solvers::OdeOptions options = testing::ode_options("cash_karp", 1e-4, 1e-8);
  options.most_steps = 1000;
  const Reacted stuck = testing::react(exec, {.name = "robertson"}, options, 400, {1, 0, 0});
  EXPECT_EQ(stuck.report.failed, 1);
  EXPECT_EQ(stuck.report.most_steps, 1000);
  EXPECT_EQ(stuck.report.steps + stuck.report.rejected, 1000);
  EXPECT_GT(stuck.report.first_failed_t, 0.1);
  EXPECT_LT(stuck.report.first_failed_t, 4);
  EXPECT_NE(stuck.report.failure.find("a method for stiff reactions"), std::string::npos) << stuck.report.failure;
}

TYPED_TEST(OdeNodes, WhereNothingIsToBeDoneStayAsTheyAre) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const auto none = physics::reaction_diffusion::make_reaction_step(exec, {.name = "gray_scott"}, 0);
  EXPECT_EQ(testing::react(*none, 0, 1, {}).report.steps, 0);
  const auto two = physics::reaction_diffusion::make_reaction_step(exec, {.name = "gray_scott"}, 2);
  const Values start = {0.5, 0.4, 0.3, 0.2};
  const Reacted still = testing::react(*two, 3, 0, start);
  EXPECT_EQ(still.u, start);
  EXPECT_EQ(still.report.steps, 0);
  EXPECT_THROW(testing::react(*two, 0, -1, start), Error);
  EXPECT_THROW(testing::react(*two, std::nan(""), 1, start), Error);
  EXPECT_THROW(testing::react(*two, 0, 1, {1, 2, 3}), Error);
}

}  // namespace
}  // namespace tessera
