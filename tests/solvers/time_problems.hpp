#pragma once
// Small problems u' = f(t, u) with known solutions, for tests of time integration. Right-hand sides are written for the
// host, so that one serves every backend.
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "solvers/time/advance.hpp"
#include "solvers/time/stepper.hpp"

namespace tessera::testing {

using Values = std::vector<double>;

template <class Exec>
Values on_host(View<const double> x) {
  Values result(static_cast<std::size_t>(x.size()));
  copy_bytes(typename Exec::Space{}, x.data(), Host{}, result.data(), result.size() * sizeof(double));
  return result;
}
template <class Exec>
void to_backend(const Values& x, View<double> y) {
  copy_bytes(Host{}, x.data(), typename Exec::Space{}, y.data(), x.size() * sizeof(double));
}

/// u' = f(t, u) with an f for the host.
template <class Exec>
struct HostFunction : solvers::RightHandSide<Exec> {
  using Function = std::function<Values(double, const Values&)>;
  explicit HostFunction(Function function) : function(std::move(function)) {}

  void evaluate(double t, View<const double> u, View<double> f) override {
    times.push_back(t);
    to_backend<Exec>(function(t, on_host<Exec>(u)), f);
  }
  double spectral_radius(double, View<const double>) override { return radius; }

  Function function;
  Values times;  ///< at which it was asked for
  double radius = 0;
};

/// The same, and it can add f to a vector.
template <class Exec>
struct AddingHostFunction : HostFunction<Exec> {
  using HostFunction<Exec>::HostFunction;
  bool has_evaluate_onto() const override { return true; }
  void evaluate_onto(double t, View<const double> u, double factor, View<double> f) override {
    Values sum = this->function(t, on_host<Exec>(u)), before = on_host<Exec>(f);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * before[i];
    to_backend<Exec>(sum, f);
  }
};

/// A decaying number beside a vector that turns with speed 1 + t; each of them acts on the others. It depends on t, so
/// that the times of stages count.
inline Values turning(double t, const Values& u) {
  const double square = u[1] * u[1] + u[2] * u[2];
  return {-u[0] * u[0] * std::cos(t) * square, -(1 + t) * u[2] * square, (1 + t) * u[1] * u[0] * (2 + std::sin(t))};
}
inline Values turning_solution(double t) {
  return {1 / (2 + std::sin(t)), std::cos(t + t * t / 2), std::sin(t + t * t / 2)};
}

inline double largest_difference(const Values& x, const Values& y) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = std::abs(x[i] - y[i]);
    if (!(difference <= largest)) largest = difference;  // also takes NaN
  }
  return largest;
}

/// u_t = u_xx + g on (0, 1), u = 0 at both ends, on cells of length 1 / cells: values at the inner nodes.
struct Heat {
  int cells;
  double width() const { return 1.0 / cells; }
  Values sine() const {
    Values u;
    for (int i = 1; i < cells; ++i) u.push_back(std::sin(std::numbers::pi * i * width()));
    return u;
  }
  Values apply(const Values& u) const {
    const std::size_t n = u.size();
    Values f(n);
    for (std::size_t i = 0; i < n; ++i)
      f[i] = ((i > 0 ? u[i - 1] : 0) - 2 * u[i] + (i + 1 < n ? u[i + 1] : 0)) / (width() * width());
    return f;
  }
  /// The eigenvalue -lambda of sine(), and the largest one.
  double lowest() const { return 4 / (width() * width()) * std::pow(std::sin(std::numbers::pi * width() / 2), 2); }
  double highest() const { return 4 / (width() * width()) * std::pow(std::cos(std::numbers::pi * width() / 2), 2); }
};

struct Advanced {
  Values u;
  solvers::TimeReport report;
};

template <class Exec>
Advanced advance_by(Exec& exec, solvers::Stepper<Exec>& stepper, solvers::RightHandSide<Exec>& f, double t, double end,
                    double dt, const Values& u0, const solvers::StepMonitor& monitor = {}) {
  auto u = to_space<typename Exec::Space>(u0);
  Advanced result{{}, solvers::advance(exec, stepper, f, t, end, dt, u.view(), monitor)};
  result.u = to_vector(u);
  return result;
}

template <class Exec>
Advanced advance_within(Exec& exec, solvers::Stepper<Exec>& stepper, solvers::RightHandSide<Exec>& f, double t,
                        double end, solvers::StepControl& control, const Values& u0,
                        const solvers::StepMonitor& monitor = {}) {
  auto u = to_space<typename Exec::Space>(u0);
  Advanced result{{}, solvers::advance(exec, stepper, f, t, end, control, u.view(), monitor)};
  result.u = to_vector(u);
  return result;
}

}  // namespace tessera::testing
