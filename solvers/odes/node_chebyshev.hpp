#pragma once
#include "solvers/odes/node_steps.hpp"

namespace tessera::solvers {

/// Runge-Kutta-Chebyshev of order 2 with as many stages as the stiffness at the node asks for, up to 200: the scheme of
/// solvers/time/chebyshev.hpp, whose coefficients each node finds by their recurrences. Its error is estimated by
/// 0.8 (u - u_new) + 0.4 h (f + f_new): Sommeijer, Shampine & Verwer 1998, section 3.1; Numerical Computations with
/// GPUs, (8.24). The spectral radius is bounded by the largest row sum of the Jacobian, which costs less than iterating
/// for it. No matrix is kept or solved with, so that it suits mechanisms of many species whose times do not lie too far
/// apart. Five vectors.
template <class Reaction>
class ChebyshevStep {
 public:
  static constexpr double rejected_exponent = 1.0 / 3, accepted_exponent = 1.0 / 3;

  TESSERA_HD void begin(const Reaction& reaction, double t, const double* u) {
    const int n = reaction.species();
    double jacobian[most * most];
    reaction.rates(u, t, f0_);
    reaction.jacobian(u, t, jacobian);
    radius_ = 0;
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += std::abs(jacobian[i * n + j]);
      radius_ = std::fmax(radius_, sum);
    }
    if (!std::isfinite(radius_)) radius_ = 0;  // the step will show it
  }

  /// The step that is stable with all stages.
  TESSERA_HD double longest() const {
    const double reach = (most_stages * most_stages - 1) / per_square;
    return radius_ > 0 ? reach / radius_ : HUGE_VAL;
  }

  TESSERA_HD double attempt(const Reaction& reaction, double t, double h, const double* u,
                            const StepTolerance& tolerance, double* next) {
    const int n = reaction.species();
    const double wanted = 1 + std::floor(std::sqrt(1 + per_square * h * radius_));
    const int stages = wanted < 2 ? 2 : (wanted > most_stages ? most_stages : static_cast<int>(wanted));
    const double w0 = 1 + 2.0 / 13 / (static_cast<double>(stages) * stages);
    Polynomial last(w0);
    for (int j = 2; j <= stages; ++j) last.advance(w0);
    const double w1 = last.slope / last.curvature;

    // w_1 = u + mu_tilde_1 h f_0; b of the last three stages, b_0 = b_1 = b_2.
    Polynomial polynomial(w0);
    polynomial.advance(w0);
    double b_before = polynomial.b(), b_last = b_before, a = 1 - b_last * w0;
    double c = w1 * polynomial.curvature / polynomial.slope / polynomial.slope;  // of w_1: c_2 / T_2'
    double before[most], f[most];
    for (int i = 0; i < n; ++i) {
      before[i] = u[i];
      next[i] = u[i] + b_last * w1 * h * f0_[i];
    }
    for (int j = 2; j <= stages; ++j) {
      if (j > 2) polynomial.advance(w0);
      const double b = polynomial.b(), mu = 2 * b * w0 / b_last, nu = -b / b_before, mu_tilde = 2 * b * w1 / b_last;
      reaction.rates(next, t + c * h, f);
      for (int i = 0; i < n; ++i) {
        const double value = (1 - mu - nu) * u[i] + mu * next[i] + nu * before[i] + mu_tilde * h * (f[i] - a * f0_[i]);
        before[i] = next[i];
        next[i] = value;
      }
      b_before = b_last;
      b_last = b;
      a = 1 - b * polynomial.value;
      c = w1 * polynomial.curvature / polynomial.slope;
    }

    reaction.rates(next, t + h, f);
    double largest = 0;
    for (int i = 0; i < n; ++i) {
      const double error = 0.8 * (u[i] - next[i]) + 0.4 * h * (f0_[i] + f[i]);
      largest = larger_ratio(largest, error, std::fmax(std::abs(u[i]), std::abs(next[i])), tolerance);
    }
    return largest;
  }

  TESSERA_HD const double* rates() const { return f0_; }

 private:
  static constexpr int most = Reaction::most_species;
  static constexpr int most_stages = 200;
  static constexpr double per_square = 1.54;

  /// T_j and its two derivatives at w0, beginning with j = 1.
  struct Polynomial {
    double value, slope = 1, curvature = 0;
    double value_before = 1, slope_before = 0, curvature_before = 0;

    TESSERA_HD explicit Polynomial(double w0) : value(w0) {}
    TESSERA_HD void advance(double w0) {
      const double next = 2 * w0 * value - value_before, next_slope = 2 * value + 2 * w0 * slope - slope_before,
                   next_curvature = 4 * slope + 2 * w0 * curvature - curvature_before;
      value_before = value, slope_before = slope, curvature_before = curvature;
      value = next, slope = next_slope, curvature = next_curvature;
    }
    TESSERA_HD double b() const { return curvature / (slope * slope); }
  };

  double f0_[most];
  double radius_ = 0;
};

}  // namespace tessera::solvers
