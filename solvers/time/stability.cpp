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

/// (u, v)' = (v, -square (u + beta v))
class DampedOscillation final : public RightHandSide<Threads> {
 public:
  void evaluate(double, View<const double> u, View<double> f) override {
    f[0] = u[1];
    f[1] = -square * (u[0] + beta * u[1]);
  }
  double square = 0, beta = 0;
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

double damped_leap(double longest, double beta) { return longest * longest / (std::hypot(beta, longest) + beta); }

double damped_stability_limit(const StepperParams& params, double highest, double beta) {
  const double limit = imaginary_stability_limit(params) / highest;
  if (!(beta > 0)) return limit;
  StepperParams plain = params;
  plain.adaptive = false;
  Threads exec(1);
  Array<double> u(2);
  double not_finite = 0;
  // The matrix of a step must have both eigenvalues within the unit circle: |trace| <= 1 + det and det <= 1.
  const auto is_stable = [&](double dt) {
    constexpr int samples = 64;
    for (int k = 1; k <= samples; ++k) {
      DampedOscillation oscillation;
      oscillation.square = std::pow(highest * k / samples, 2);
      oscillation.beta = beta;
      double of_step[2][2];
      for (int column = 0; column < 2; ++column) {
        const auto stepper = make_stepper(exec, 2, plain);
        u[0] = column == 0 ? 1 : 0;
        u[1] = column == 1 ? 1 : 0;
        stepper->step(oscillation, 0, dt, u.view(), &not_finite);
        of_step[0][column] = u[0], of_step[1][column] = u[1];
      }
      const double trace = of_step[0][0] + of_step[1][1],
                   det = of_step[0][0] * of_step[1][1] - of_step[0][1] * of_step[1][0];
      if (!(std::abs(trace) <= 1 + det + rounding) || !(det <= 1 + rounding)) return false;
    }
    return true;
  };
  // The first of equal parts of the interval at whose end it is not stable any more.
  constexpr int parts = 32;
  double stable = 0, unstable = limit;
  for (int i = 1; i <= parts; ++i) {
    if (!is_stable(limit * i / parts)) {
      unstable = limit * i / parts;
      break;
    }
    stable = limit * i / parts;
  }
  for (int i = 0; i < 20 && stable < unstable; ++i) {
    const double middle = 0.5 * (stable + unstable);
    (is_stable(middle) ? stable : unstable) = middle;
  }
  return stable;
}

}  // namespace tessera::solvers
