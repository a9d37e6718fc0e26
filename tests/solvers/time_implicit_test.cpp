// Steps of implicit schemes that are tried, and what they say of their errors.
#include "solvers/time/implicit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/backends.hpp"

namespace tessera {
namespace {

using Values = std::vector<double>;

/// u' = -rate u, entry by entry.
template <class Exec>
class Decay final : public solvers::StageEquation<Exec> {
 public:
  using Space = typename Exec::Space;
  explicit Decay(Values rates) : rates_(std::move(rates)) {}
  bool solve(double, double sigma, View<const double> w, View<const double>, View<double> U) override {
    if (fails) return false;
    Values values(rates_.size());
    copy_bytes(Space{}, w.data(), Host{}, values.data(), values.size() * sizeof(double));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] /= sigma + rates_[i];
    copy_bytes(Host{}, values.data(), Space{}, U.data(), values.size() * sizeof(double));
    return true;
  }
  bool fails = false;

 private:
  Values rates_;
};

template <class Exec>
struct TimeImplicit : ::testing::Test {};
TYPED_TEST_SUITE(TimeImplicit, testing::Backends);

const Values rates = {1, 2, 0.5};
constexpr solvers::StepTolerance absolute{.relative = 0, .absolute = 1};  // errors as they are
const double lengths[] = {1, 1.4, 0.9, 0.7, 1.2, 1.9, 0.6, 1, 1, 1.3};

TYPED_TEST(TimeImplicit, EstimatesTheErrorOfAStep) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const char* scheme : {"bdf2", "crank_nicolson", "sdirk2"}) {
    solvers::ImplicitStepper<TypeParam> stepper(exec, {.scheme = scheme, .adaptive = true}, 3);
    Decay<TypeParam> equation(rates);
    auto u = to_space<typename TypeParam::Space>(Values{1, 1, 1});
    double t = 0;
    int steps = 0;
    for (const double length : lengths) {
      const double dt = 0.02 * length;
      const Values before = to_vector(u);
      ASSERT_TRUE(stepper.attempt(equation, t, dt, t + dt, u.view()));
      const double error = stepper.error(absolute, u.view(), 3, 3);
      EXPECT_EQ(to_vector(u), before);
      stepper.accept(u.view());
      const Values after = to_vector(u);
      double squares = 0;
      for (std::size_t i = 0; i < 3; ++i) squares += std::pow(after[i] - std::exp(-rates[i] * dt) * before[i], 2);
      t += dt;
      // The first step takes too much for its error. The error of bdf2 has a part of the steps before it.
      if (++steps < 3) continue;
      const double own = std::sqrt(squares / 3), most = std::string(scheme) == "bdf2" ? 1.6 : 1.1;
      EXPECT_GT(error / own, 0.9) << scheme << ", step " << steps;
      EXPECT_LT(error / own, most) << scheme << ", step " << steps;
    }
  }
}

TYPED_TEST(TimeImplicit, ForgetsWhatWasTakenBack) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const char* scheme : {"bdf2", "crank_nicolson", "sdirk2"}) {
    const auto walk = [&](bool detours) {
      solvers::ImplicitStepper<TypeParam> stepper(exec, {.scheme = scheme, .adaptive = true}, 3);
      Decay<TypeParam> equation(rates);
      auto u = to_space<typename TypeParam::Space>(Values{1, 1, 1});
      double t = 0;
      for (const double length : lengths) {
        const double dt = 0.05 * length;
        if (detours) {
          EXPECT_TRUE(stepper.attempt(equation, t, 3 * dt, t + 3 * dt, u.view()));
          stepper.reject();
          equation.fails = true;
          EXPECT_FALSE(stepper.attempt(equation, t, 2 * dt, t + 2 * dt, u.view()));
          equation.fails = false;
        }
        EXPECT_TRUE(stepper.attempt(equation, t, dt, t + dt, u.view()));
        stepper.accept(u.view());
        t += dt;
      }
      return to_vector(u);
    };
    EXPECT_EQ(walk(true), walk(false)) << scheme;
  }
}

}  // namespace
}  // namespace tessera
