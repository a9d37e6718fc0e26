// Orders of convergence of the schemes for time integration, and of their estimates.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "solvers/time/rkc.hpp"
#include "support/backends.hpp"
#include "support/orders.hpp"
#include "time_problems.hpp"

namespace tessera {
namespace {

using solvers::StepperParams;
using testing::HostFunction;
using testing::Values;

template <class Exec>
struct TimeOrders : ::testing::Test {};
TYPED_TEST_SUITE(TimeOrders, testing::Backends);

/// The order seen between steps of end / coarse and half of that.
template <class Exec>
double order_on_turning(Exec& exec, const StepperParams& params, int coarse) {
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    const auto stepper = solvers::make_stepper(exec, 3, params);
    HostFunction<Exec> f(testing::turning);
    const double end = 1.5;
    const auto advanced =
        testing::advance_by(exec, *stepper, f, 0, end, end / (coarse << i), testing::turning_solution(0));
    EXPECT_TRUE(advanced.report.finished) << advanced.report.failure;
    errors[i] = testing::largest_difference(advanced.u, testing::turning_solution(end));
  }
  return testing::observed_order(errors[0], errors[1]);
}

TYPED_TEST(TimeOrders, AreThoseOfTheTable) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  int seen = 0;
  for (const solvers::Scheme& scheme : solvers::schemes()) {
    if (scheme.kind != solvers::SchemeKind::explicit_ || scheme.name == "tableau") continue;
    const double order = order_on_turning(exec, {.scheme = scheme.name}, scheme.order == 1 ? 800 : 80);
    EXPECT_GE(order, scheme.order - 0.1) << scheme.name;
    EXPECT_LE(order, scheme.order + 1.1) << scheme.name;  // near its limit, dormand_prince shows 6
    ++seen;
  }
  EXPECT_EQ(seen, 9);
}

TYPED_TEST(TimeOrders, OfChebyshevSchemesAreTwoWhateverTheirStages) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (int stages : {2, 3, 4, 7, 20})
    EXPECT_NEAR(order_on_turning(exec, {.scheme = "rkc", .stages = stages}, 160), 2, 0.1) << stages;
}

TYPED_TEST(TimeOrders, OfAUsersTableauAreThoseThatItsConditionsShow) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const solvers::Tableau three_eighths{
      .name = "3/8", .a = {{}, {1.0 / 3}, {-1.0 / 3, 1}, {1, -1, 1}}, .b = {0.125, 0.375, 0.375, 0.125}};
  EXPECT_NEAR(order_on_turning(exec, {.scheme = "tableau", .tableau = three_eighths}, 80), 4, 0.1);
  // The embedded scheme of a pair alone.
  solvers::Tableau embedded = solvers::tableau_of("dormand_prince");
  embedded.b = embedded.b_embedded;
  embedded.b_embedded.clear();
  embedded.order = embedded.embedded_order = 0;
  EXPECT_NEAR(order_on_turning(exec, {.scheme = "tableau", .tableau = embedded}, 80), 4, 0.3);
}

TYPED_TEST(TimeOrders, DoNotDependOnHowManyTermsAPassHas) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // Thirteen Euler steps as one scheme: rows with up to twelve entries.
  const int parts = 13;
  solvers::Tableau tableau{.name = "thirteen Euler steps"};
  for (int i = 0; i < parts; ++i) tableau.a.emplace_back(i, 1.0 / parts);
  tableau.b.assign(parts, 1.0 / parts);
  Values results[2];
  const std::pair<StepperParams, double> cases[] = {{{.scheme = "tableau", .tableau = tableau}, 0.1},
                                                    {{.scheme = "euler"}, 0.1 / parts}};
  for (int i = 0; i < 2; ++i) {
    const auto stepper = solvers::make_stepper(exec, 3, cases[i].first);
    HostFunction<TypeParam> f(testing::turning);
    results[i] = testing::advance_by(exec, *stepper, f, 0, 1, cases[i].second, testing::turning_solution(0)).u;
  }
  EXPECT_LE(testing::largest_difference(results[0], results[1]), 1e-13);
}

TYPED_TEST(TimeOrders, OfEstimatesAreOneMoreThanThoseOfTheLowerScheme) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  solvers::Tableau heun{.name = "heun", .a = {{}, {1}}, .b = {0.5, 0.5}, .b_embedded = {1, 0}};
  const StepperParams all[] = {{.scheme = "cash_karp", .adaptive = true},
                               {.scheme = "dormand_prince", .adaptive = true},
                               {.scheme = "rkc", .adaptive = true, .stages = 6},
                               {.scheme = "tableau", .tableau = heun, .adaptive = true}};
  const int orders[] = {5, 5, 3, 2};
  for (int i = 0; i < 4; ++i) {
    double errors[2];
    for (int k = 0; k < 2; ++k) {
      const auto stepper = solvers::make_stepper(exec, 3, all[i]);
      EXPECT_EQ(stepper->error_order(), orders[i]);
      HostFunction<TypeParam> f(testing::turning);
      auto u = to_space<typename TypeParam::Space>(testing::turning_solution(0.3));
      errors[k] = stepper->step_with_error(f, 0.3, 0.04 / (1 << k), {}, u);
    }
    EXPECT_NEAR(testing::observed_order(errors[0], errors[1]), orders[i], 0.2) << all[i].scheme;
  }
}

TYPED_TEST(TimeOrders, OfTheSchemeOfTwoVectorsIsFourAndItKeepsTwoVectors) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Values start = testing::turning_solution(0);
  // Beside u: one vector for f, one for what Williamson's form keeps. Where f can be added to it, that one alone.
  const auto separate = solvers::make_stepper(exec, 3, {.scheme = "low_storage_rk45"});
  HostFunction<TypeParam> f(testing::turning);
  const auto first = testing::advance_by(exec, *separate, f, 0, 1, 0.05, start);
  EXPECT_EQ(separate->vectors(), 2);
  EXPECT_EQ(separate->bytes_per_step(1), 200);
  EXPECT_EQ(first.report.evaluations, 100);
  const auto adding = solvers::make_stepper(exec, 3, {.scheme = "low_storage_rk45"});
  testing::AddingHostFunction<TypeParam> g(testing::turning);
  const auto second = testing::advance_by(exec, *adding, g, 0, 1, 0.05, start);
  EXPECT_EQ(adding->vectors(), 1);
  EXPECT_EQ(adding->bytes_per_step(1), 120);
  EXPECT_EQ(second.report.evaluations, 100);
  EXPECT_LE(testing::largest_difference(first.u, second.u), 1e-14);
  EXPECT_LE(testing::largest_difference(first.u, testing::turning_solution(1)), 1e-6);
}

/// u'' = f(t, u, v) with an f for the host.
template <class Exec>
struct HostAcceleration : solvers::Acceleration<Exec> {
  using Function = std::function<double(double, double, double)>;
  HostAcceleration(Function function, bool needs_velocity) : function(std::move(function)), velocity(needs_velocity) {}
  void evaluate(double t, View<const double> u, View<const double> v, View<double> a) override {
    const Values x = testing::on_host<Exec>(u), y = testing::on_host<Exec>(v);
    Values result;
    for (std::size_t i = 0; i < x.size(); ++i) result.push_back(function(t, x[i], y[i]));
    testing::to_backend<Exec>(result, a);
  }
  bool needs_velocity() const override { return velocity; }

  Function function;
  bool velocity;
};

TYPED_TEST(TimeOrders, OfNewmarkIsTwoWithAndWithoutDamping) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // u = sin t + t^2 / 4 solves it.
  const auto u_of = [](double t) { return std::sin(t) + t * t / 4; };
  const auto v_of = [](double t) { return std::cos(t) + t / 2; };
  for (double damping : {0.0, 0.7}) {
    double errors_u[2], errors_v[2];
    for (int i = 0; i < 2; ++i) {
      HostAcceleration<TypeParam> f(
          [&](double t, double u, double v) {
            return -std::sin(t) + 0.5 - std::pow(u, 3) + std::pow(u_of(t), 3) -
                   damping * (v * v - std::pow(v_of(t), 2));
          },
          damping > 0);
      solvers::Newmark<TypeParam> newmark(exec, 1);
      auto u = to_space<typename TypeParam::Space>(Values{u_of(0)}), v = to_space<typename TypeParam::Space>(Values{1});
      const auto report = solvers::advance(exec, newmark, f, 0, 2, i == 0 ? 0.01 : 0.005, u.view(), v.view());
      EXPECT_TRUE(report.finished) << report.failure;
      EXPECT_EQ(report.steps, i == 0 ? 200 : 400);
      // The acceleration of the last step serves the next one.
      EXPECT_EQ(report.evaluations, report.steps + 1);
      EXPECT_EQ(newmark.vectors(), damping > 0 ? 2 : 1);
      EXPECT_EQ(newmark.bytes_per_step(10), damping > 0 ? 720 : 640);
      errors_u[i] = std::abs(to_vector(u)[0] - u_of(2));
      errors_v[i] = std::abs(to_vector(v)[0] - v_of(2));
    }
    EXPECT_NEAR(testing::observed_order(errors_u[0], errors_u[1]), 2, 0.1) << damping;
    EXPECT_NEAR(testing::observed_order(errors_v[0], errors_v[1]), 2, 0.1) << damping;
  }
}

}  // namespace
}  // namespace tessera
