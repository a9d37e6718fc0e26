#include "solvers/time/stability.hpp"

#include <cmath>

#include "base/array.hpp"

namespace tessera::solvers {

namespace {

/// (u, v)' = z (v, -u)
class Oscillation final : public RightHandSide<Threads> {
 public:
  void evaluate(double, View<const double> u, View<double> f) override {
    f[0] = z * u[1];
    f[1] = -z * u[0];
  }
  double z = 0;
};

/// u' = -z u
class Decay final : public RightHandSide<Threads> {
 public:
  void evaluate(double, View<const double> u, View<double> f) override { f[0] = -z * u[0]; }
  double spectral_radius(double, View<const double>) override { return z; }
  double z = 0;
};

/// The end of the interval from 0 in which is_stable(z).
template <class IsStable>
double end_of_stability(IsStable is_stable) {
  constexpr double coarse = 0.05, most = 1e5;
  double stable = 0;
  while (stable < most && is_stable(stable + coarse)) stable += coarse;
  double unstable = stable + coarse;
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (stable + unstable);
    (is_stable(middle) ? stable : unstable) = middle;
  }
  return stable;
}

constexpr double rounding = 1e-12;  ///< of the magnitude after a step

}  // namespace

double real_stability_limit(const StepperParams& params) {
  StepperParams plain = params;
  plain.adaptive = false;
  Threads exec(1);
  Array<double> u(1);
  double not_finite = 0;
  return end_of_stability([&](double z) {
    const auto stepper = make_stepper(exec, 1, plain);
    Decay decay;
    decay.z = z;
    u[0] = 1;
    stepper->step(decay, 0, 1, u.view(), &not_finite);
    return std::abs(u[0]) <= 1 + rounding;
  });
}

double imaginary_stability_limit(const StepperParams& params) {
  StepperParams plain = params;
  plain.adaptive = false;
  Threads exec(1);
  Array<double> u(2);
  double not_finite = 0;
  return end_of_stability([&](double z) {
    const auto stepper = make_stepper(exec, 2, plain);
    Oscillation oscillation;
    oscillation.z = z;
    u[0] = 1;
    u[1] = 0;
    stepper->step(oscillation, 0, 1, u.view(), &not_finite);
    return std::hypot(u[0], u[1]) <= 1 + rounding;
  });
}

}  // namespace tessera::solvers
