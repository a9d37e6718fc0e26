#pragma once
// The exact solution of the Riemann problem of a perfect gas. Toro, Riemann Solvers and Numerical Methods for Fluid
// Dynamics, chapter 4.
#include <array>
#include <cmath>

namespace tessera::testing {

/// Density, velocity and pressure.
struct GasState {
  double rho, v, p;
};

class RiemannSolution {
 public:
  RiemannSolution(const GasState& left, const GasState& right, double gamma = 1.4)
      : left_(left), right_(right), gamma_(gamma) {
    const double closing = left.v - right.v, by = 2 / (gamma - 1);
    if (by * (sound(left) + sound(right)) <= -closing) {  // they leave a vacuum between them
      vacuum_ = true;
      p_ = 0;
      return;
    }
    double low = 0, high = std::fmax(left.p, right.p);
    while (curve(left, high) + curve(right, high) - closing < 0) high *= 2;
    for (int i = 0; i < 300; ++i) {
      const double middle = 0.5 * (low + high);
      (curve(left, middle) + curve(right, middle) - closing < 0 ? low : high) = middle;
    }
    p_ = 0.5 * (low + high);
    v_ = 0.5 * (left.v + right.v) + 0.5 * (curve(right, p_) - curve(left, p_));
  }

  double pressure() const { return p_; }
  double velocity() const { return v_; }
  /// The largest of |lambda_1| and |lambda_3|, the speeds of the outer edges of the waves.
  double fastest() const { return std::fmax(std::fmax(outer(left_, -1), 0.0), std::fmax(outer(right_, 1), 0.0)); }
  double density(const GasState& of) const {
    const double ratio = p_ / of.p, mu = (gamma_ - 1) / (gamma_ + 1);
    return ratio > 1 ? of.rho * (ratio + mu) / (mu * ratio + 1) : of.rho * std::pow(ratio, 1 / gamma_);
  }

  /// At xi = x / t.
  GasState at(double xi) const {
    if (vacuum_) return at_vacuum(xi);
    return xi < v_ ? side(left_, xi, -1) : side(right_, xi, 1);
  }

 private:
  double sound(const GasState& s) const { return std::sqrt(gamma_ * s.p / s.rho); }
  double curve(const GasState& s, double p) const {
    if (p > s.p) {
      const double A = 2 / ((gamma_ + 1) * s.rho), B = (gamma_ - 1) / (gamma_ + 1) * s.p;
      return (p - s.p) * std::sqrt(A / (p + B));
    }
    return 2 * sound(s) / (gamma_ - 1) * (std::pow(p / s.p, (gamma_ - 1) / (2 * gamma_)) - 1);
  }
  /// The speed at which its wave enters the gas of that side; `sign` is that of its direction.
  double outer(const GasState& s, int sign) const {
    const double by = p_ > s.p ? std::sqrt((gamma_ + 1) / (2 * gamma_) * p_ / s.p + (gamma_ - 1) / (2 * gamma_)) : 1;
    return sign * s.v + sound(s) * by;
  }
  GasState fan(const GasState& s, double xi, int sign) const {
    const double a = sound(s);
    const double v = 2 / (gamma_ + 1) * (-sign * a + 0.5 * (gamma_ - 1) * s.v + xi);
    const double c = sign * (xi - v);
    return {s.rho * std::pow(c / a, 2 / (gamma_ - 1)), v, s.p * std::pow(c / a, 2 * gamma_ / (gamma_ - 1))};
  }
  GasState side(const GasState& s, double xi, int sign) const {
    if (sign * xi >= outer(s, sign)) return s;
    const GasState star{density(s), v_, p_};
    if (p_ > s.p || sign * (xi - v_) <= sound(star)) return star;
    return fan(s, xi, sign);
  }
  GasState at_vacuum(double xi) const {
    const double by = 2 / (gamma_ - 1);
    const double first = left_.v + by * sound(left_), last = right_.v - by * sound(right_);
    if (xi <= left_.v - sound(left_)) return left_;
    if (xi < first) return fan(left_, xi, -1);
    if (xi >= right_.v + sound(right_)) return right_;
    if (xi > last) return fan(right_, xi, 1);
    return {0, xi, 0};
  }

  GasState left_, right_;
  double gamma_, p_ = 0, v_ = 0;
  bool vacuum_ = false;
};

}  // namespace tessera::testing
