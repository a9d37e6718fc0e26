#pragma once
#include <cmath>
#include <optional>

#include "base/view.hpp"

namespace tessera::solvers {

/// u' = f(t, u), vectors on the backend; where ranks share them (base/link.hpp), each has its rows.
template <class Exec>
class RightHandSide {
 public:
  virtual ~RightHandSide() = default;
  /// f = f(t, u), [rows]. Queued where the vectors live; need not wait.
  virtual void evaluate(double t, View<const double> u, View<double> f) = 0;

  /// Whether `evaluate_onto` exists. It saves low_storage_rk45 a vector and 16 B a row and stage.
  virtual bool has_evaluate_onto() const { return false; }
  /// f = factor f + f(t, u).
  virtual void evaluate_onto(double t, View<const double> u, double factor, View<double> f) {
    (void)t, (void)u, (void)factor, (void)f;
  }

  /// A bound of the magnitudes of the eigenvalues of df/du at (t, u); 0: not known. rkc then estimates it by itself.
  virtual double spectral_radius(double t, View<const double> u) {
    (void)t, (void)u;
    return 0;
  }
  /// v [rows] = numbers that differ from row to row, for a power method that estimates it to begin with; false: there
  /// are none, and numbers of rows do.
  virtual bool start_of_power(View<double> v) {
    (void)v;
    return false;
  }
  /// Whether they change with t or u. A spectral radius that was found some steps ago is then worth nothing.
  virtual bool spectral_radius_varies() const { return false; }
};

/// u'' = f(t, u, v), v = u': M u'' = ... with a diagonal M divided out.
template <class Exec>
class Acceleration {
 public:
  virtual ~Acceleration() = default;
  /// a = f(t, u, v), [rows].
  virtual void evaluate(double t, View<const double> u, View<const double> v, View<double> a) = 0;
  /// Whether f depends on v. Where it does not, a step needs one vector less and 8 B a row less.
  virtual bool needs_velocity() const { return true; }

  /// Whether the equation a = f(t, u, v + h a) is solved for a: where damping is large at some nodes alone, as that of
  /// absorbing boundaries, steps then need not be shorter for it.
  virtual bool solves_damping() const { return false; }
  /// a of that equation.
  virtual void solve(double t, double h, View<const double> u, View<const double> v, View<double> a) {
    (void)t, (void)h, (void)u, (void)v, (void)a;
  }
};

/// Whether t is the time at which something was kept, but for rounding: t may have been summed otherwise.
inline bool is_same_time(const std::optional<double>& kept, double t, double dt) {
  return kept && std::abs(t - *kept) <= 1e-6 * std::abs(dt);
}

}  // namespace tessera::solvers
