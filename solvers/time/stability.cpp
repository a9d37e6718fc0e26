#include "solvers/time/stability.hpp"

#include <cmath>

#include "base/array.hpp"

namespace tessera::solvers {

namespace {

/// u' = -z u
class Decay final : public RightHandSide<Threads> {
 public:
  void evaluate(double, View<const double> u, View<double> f) override { f[0] = -z * u[0]; }
  double spectral_radius(double, View<const double>) override { return z; }
  double z = 0;
};

}  // namespace

double real_stability_limit(const StepperParams& params) {
  StepperParams plain = params;
  plain.adaptive = false;
  Threads exec(1);
  Array<double> u(1);
  double not_finite = 0;
  const auto is_stable = [&](double z) {
    constexpr double rounding = 1e-12;
    const auto stepper = make_stepper(exec, 1, plain);
    Decay decay;
    decay.z = z;
    u[0] = 1;
    stepper->step(decay, 0, 1, u.view(), &not_finite);
    return std::abs(u[0]) <= 1 + rounding;
  };
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

}  // namespace tessera::solvers
