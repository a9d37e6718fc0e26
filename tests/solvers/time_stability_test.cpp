// How long stable steps are, Runge-Kutta-Chebyshev on the heat equation, bounds that SSP schemes keep.
#include <gtest/gtest.h>

#include "solvers/time/rkc.hpp"
#include "solvers/time/stability.hpp"
#include "support/backends.hpp"
#include "support/orders.hpp"
#include "time_problems.hpp"

namespace tessera {
namespace {

using solvers::StepperParams;
using testing::Heat;
using testing::HostFunction;
using testing::Values;

template <class Exec>
struct TimeStability : ::testing::Test {};
TYPED_TEST_SUITE(TimeStability, testing::Backends);

/// By what 300 steps of length 1 multiply |u|, where u' = A u turns (frequency) and decays (rate).
template <class Exec>
double growth(Exec& exec, const StepperParams& params, double rate, double frequency) {
  const auto stepper = solvers::make_stepper(exec, 2, params);
  HostFunction<Exec> f([&](double, const Values& u) {
    return Values{-rate * u[0] - frequency * u[1], frequency * u[0] - rate * u[1]};
  });
  const auto advanced = testing::advance_by(exec, *stepper, f, 0, 300, 1, {1, 0});
  return advanced.report.finished ? std::hypot(advanced.u[0], advanced.u[1]) : HUGE_VAL;
}

TYPED_TEST(TimeStability, EndsOnTheRealAxisWhereTheTextbookSays) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const std::pair<const char*, double> limits[] = {{"euler", 2},
                                                   {"ssp_rk2", 2},
                                                   {"erk22", 2},
                                                   {"ssp_rk3", 2.513},
                                                   {"erk33", 2.513},
                                                   {"rk4", 2.785},
                                                   {"dormand_prince", 3.307},
                                                   {"low_storage_rk45", 4.65}};
  for (const auto& [scheme, limit] : limits) {
    EXPECT_LE(growth(exec, {.scheme = scheme}, 0.99 * limit, 0), 1) << scheme;
    EXPECT_GT(growth(exec, {.scheme = scheme}, 1.01 * limit, 0), 10) << scheme;
  }
}

TYPED_TEST(TimeStability, EndsOnTheImaginaryAxisWhereTheTextbookSays) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const auto& [scheme, limit] : {std::pair{"ssp_rk3", std::sqrt(3.0)}, {"rk4", std::sqrt(8.0)}}) {
    EXPECT_LE(growth(exec, {.scheme = scheme}, 0, 0.99 * limit), 1) << scheme;
    EXPECT_GT(growth(exec, {.scheme = scheme}, 0, 1.01 * limit), 10) << scheme;
  }
}

TYPED_TEST(TimeStability, OfChebyshevSchemesGrowsWithTheSquareOfTheStages) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (int stages : {2, 3, 5, 10, 20, 50}) {
    const double beta = solvers::ChebyshevScheme(stages).beta;
    EXPECT_GT(beta, 0.65 * (stages * stages - 1)) << stages;
    EXPECT_LE(growth(exec, {.scheme = "rkc", .stages = stages}, 0.99 * beta, 0), 1) << stages;
    EXPECT_GT(growth(exec, {.scheme = "rkc", .stages = stages}, 1.05 * beta, 0), 1e3) << stages;
  }
}

TYPED_TEST(TimeStability, OfNewmarkEndsAtTwoOverTheFrequency) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  struct Oscillator : solvers::Acceleration<TypeParam> {
    double omega;
    void evaluate(double, View<const double> u, View<const double>, View<double> a) override {
      testing::to_backend<TypeParam>({-omega * omega * testing::on_host<TypeParam>(u)[0]}, a);
    }
    bool needs_velocity() const override { return false; }
  };
  for (double omega : {1.99, 2.01}) {
    Oscillator f;
    f.omega = omega;
    solvers::Newmark<TypeParam> newmark(exec, 1);
    auto u = to_space<Space>(Values{1}), v = to_space<Space>(Values{0});
    const auto report = solvers::advance(exec, newmark, f, 0, 400, 1, u.view(), v.view());
    EXPECT_EQ(report.evaluations, 401);
    const double size = std::abs(to_vector(u)[0]);
    if (omega < 2) {
      EXPECT_LE(size, 1 + 1e-9);
    } else {
      EXPECT_GT(size, 1e10);
    }
  }
}

TYPED_TEST(TimeStability, OfNewmarkWithDampingAloneEndsAtOne) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  struct Damper : solvers::Acceleration<TypeParam> {
    double damping;
    void evaluate(double, View<const double>, View<const double> v, View<double> a) override {
      testing::to_backend<TypeParam>({-damping * testing::on_host<TypeParam>(v)[0]}, a);
    }
  };
  for (double damping : {0.99, 1.01}) {
    Damper f;
    f.damping = damping;
    solvers::Newmark<TypeParam> newmark(exec, 1);
    auto u = to_space<Space>(Values{0}), v = to_space<Space>(Values{1});
    const auto report = solvers::advance(exec, newmark, f, 0, 2000, 1, u.view(), v.view());
    EXPECT_TRUE(report.finished) << report.failure;
    const double size = std::abs(to_vector(v)[0]);
    if (damping < 1) {
      EXPECT_LE(size, 1e-3);
    } else {
      EXPECT_GT(size, 1e3);
    }
  }
}

/// Where f solves for its damping, no damping is too strong, the limit of the frequency stays, and the order is 2.
TYPED_TEST(TimeStability, OfNewmarkIsThatOfTheFrequencyWhereDampingIsSolvedFor) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  struct Damped : solvers::Acceleration<TypeParam> {
    double omega = 0, damping = 0;
    void evaluate(double, View<const double>, View<const double>, View<double>) override { FAIL(); }
    bool solves_damping() const override { return true; }
    // a = -omega^2 u - damping (v + h a)
    void solve(double, double h, View<const double> u, View<const double> v, View<double> a) override {
      const double force =
          -omega * omega * testing::on_host<TypeParam>(u)[0] - damping * testing::on_host<TypeParam>(v)[0];
      testing::to_backend<TypeParam>({force / (1 + h * damping)}, a);
    }
  };
  const auto end = [&](const Damped& of, double t, double dt) {
    Damped f = of;
    solvers::Newmark<TypeParam> newmark(exec, 1);
    auto u = to_space<Space>(Values{1}), v = to_space<Space>(Values{0});
    const auto report = solvers::advance(exec, newmark, f, 0, t, dt, u.view(), v.view());
    EXPECT_EQ(report.evaluations, report.steps + 1);
    EXPECT_EQ(newmark.vectors(), 1);
    return to_vector(u)[0];
  };
  for (const double damping : {0.1, 1.0, 100.0}) {
    Damped f;
    f.damping = damping;
    f.omega = 1.99;
    EXPECT_LE(std::abs(end(f, 400, 1)), 1 + 1e-9) << damping;
    f.omega = 2.01;
    EXPECT_GT(std::abs(end(f, 4000, 1)), 1.01) << damping;
  }
  Damped f;
  f.omega = 3;
  f.damping = 0.5;
  const double decay = f.damping / 2, omega = std::sqrt(9 - decay * decay);
  const double exact = std::exp(-decay * 2) * (std::cos(omega * 2) + decay / omega * std::sin(omega * 2));
  EXPECT_NEAR((end(f, 2, 0.02) - exact) / (end(f, 2, 0.01) - exact), 4, 0.1);
}

TEST(TimeLimits, OnTheImaginaryAxisAreTheKnownOnes) {
  EXPECT_NEAR(solvers::imaginary_stability_limit({.scheme = "rk4"}), 2 * std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(solvers::imaginary_stability_limit({.scheme = "ssp_rk3"}), std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(solvers::imaginary_stability_limit({.scheme = "low_storage_rk45"}), 3.34, 0.01);
  EXPECT_LT(solvers::imaginary_stability_limit({.scheme = "euler"}), 1e-4);
}

TYPED_TEST(TimeStability, OfTheHeatEquationHasTheKnownStagesAndErrors) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Heat heat{200};
  struct Case {
    double dt;
    int stages;
    double error;
  };
  for (const Case c : {Case{0.02, 71, 1.05e-3},
                       {0.01, 50, 2.48e-4},
                       {0.005, 36, 6.05e-5},
                       {0.0025, 25, 1.50e-5},
                       {0.00125, 18, 3.75e-6}}) {
    solvers::Rkc<TypeParam> rkc(exec, 199, {.scheme = "rkc"});
    HostFunction<TypeParam> f([&](double, const Values& u) { return heat.apply(u); });
    f.radius = 4.0 * 200 * 200;
    const auto advanced = testing::advance_by(exec, rkc, f, 0, 0.1, c.dt, heat.sine());
    ASSERT_TRUE(advanced.report.finished) << advanced.report.failure;
    EXPECT_EQ(rkc.stages(), c.stages);
    EXPECT_EQ(advanced.report.evaluations, c.stages * advanced.report.steps);
    Values exact = heat.sine();
    for (double& value : exact) value *= std::exp(-heat.lowest() * 0.1);
    EXPECT_NEAR(testing::largest_difference(advanced.u, exact), c.error, 0.005 * c.error) << c.dt;
  }
}

TYPED_TEST(TimeStability, FindsTheSpectralRadiusThoughTheSolutionHasNoPartInItsEigenvector) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Heat heat{200};
  solvers::Rkc<TypeParam> rkc(exec, 199, {.scheme = "rkc"});
  HostFunction<TypeParam> f([&](double, const Values& u) { return heat.apply(u); });
  const auto advanced = testing::advance_by(exec, rkc, f, 0, 0.1, 0.01, heat.sine());
  ASSERT_TRUE(advanced.report.finished) << advanced.report.failure;
  EXPECT_GE(rkc.radius(), heat.highest());
  EXPECT_LE(rkc.radius(), 1.21 * heat.highest());
  EXPECT_LE(advanced.report.evaluations, 10 * rkc.stages() + 15);
  Values exact = heat.sine();
  for (double& value : exact) value *= std::exp(-heat.lowest() * 0.1);
  EXPECT_LE(testing::largest_difference(advanced.u, exact), 3e-4);
  EXPECT_EQ(rkc.vectors(), 5);
}

TYPED_TEST(TimeStability, FollowsASpectralRadiusThatGrows) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // u' = -t^2 (u - 1): stiffer and stiffer. Where steps are not stable, u leaves 1.
  HostFunction<TypeParam> f([](double t, const Values& u) { return Values{-t * t * (u[0] - 1)}; });
  solvers::Rkc<TypeParam> fixed(exec, 1, {.scheme = "rkc"}), chosen(exec, 1, {.scheme = "rkc", .adaptive = true});
  solvers::StepControl control{.tolerance = {1e-5, 1e-5}, .dt = 0.01, .longest = 0.5};
  const testing::Advanced advanced[] = {testing::advance_by(exec, fixed, f, 1, 60, 0.01, {1.5}),
                                        testing::advance_within(exec, chosen, f, 1, 60, control, {1.5})};
  for (const testing::Advanced& each : advanced) {
    ASSERT_TRUE(each.report.finished) << each.report.failure;
    EXPECT_NEAR(each.u[0], 1, 1e-4);
  }
  EXPECT_NEAR(fixed.radius(), 1.2 * 3600, 1.2 * 40);
  EXPECT_GT(chosen.radius(), 2000);
  EXPECT_LT(chosen.radius(), 1.21 * 3600);
}

double total_variation(const Values& u) {
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) sum += std::abs(u[i] - u[(i + u.size() - 1) % u.size()]);
  return sum;
}

/// Burgers' equation on a ring, limited slopes, upwind fluxes (u > 0): Euler steps of half a cell keep the total
/// variation.
Values limited_burgers(const Values& u) {
  const std::size_t n = u.size();
  Values flux(n), f(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double left = u[i] - u[(i + n - 1) % n], right = u[(i + 1) % n] - u[i];
    const double slope = left * right <= 0 ? 0 : (std::abs(left) < std::abs(right) ? left : right);
    flux[i] = 0.5 * std::pow(u[i] + slope / 2, 2);
  }
  for (std::size_t i = 0; i < n; ++i) f[i] = -(flux[i] - flux[(i + n - 1) % n]) * static_cast<double>(n);
  return f;
}

/// The most by which the total variation of a step grows.
template <class Exec>
double growth_of_variation(Exec& exec, const StepperParams& params) {
  const int n = 100;
  Values u(n, 0.1);
  for (int i = 20; i < 50; ++i) u[static_cast<std::size_t>(i)] = 1;
  const auto stepper = solvers::make_stepper(exec, n, params);
  HostFunction<Exec> f([](double, const Values& u) { return limited_burgers(u); });
  double most = -1;
  for (int i = 0; i < 40; ++i) {
    const double before = total_variation(u);
    stepper->forget();
    u = testing::advance_by(exec, *stepper, f, 0, 0.5 / n, 0.5 / n, u).u;
    most = std::max(most, total_variation(u) - before);
  }
  return most;
}

TYPED_TEST(TimeStability, OfSspSchemesIsThatOfEulerStepsInEveryNorm) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const char* scheme : {"euler", "ssp_rk2", "ssp_rk3"})
    EXPECT_LE(growth_of_variation(exec, {.scheme = scheme}), 1e-13) << scheme;
  // Gottlieb & Shu 1998, (2.1): the same order as ssp_rk2, as good on linear problems, and no convex combination.
  const solvers::Tableau other{.name = "other", .a = {{}, {-20}}, .b = {41.0 / 40, -1.0 / 40}};
  EXPECT_GT(growth_of_variation(exec, {.scheme = "tableau", .tableau = other}), 1e-3);
}

}  // namespace
}  // namespace tessera
