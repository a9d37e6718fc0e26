#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/time/right_hand_side.hpp"
#include "solvers/time/stage_ops.hpp"

namespace tessera::solvers {

/// Explicit Newmark (beta = 0, gamma = 1/2), also known as leapfrog and velocity Verlet, for u'' = f(t, u, v):
///   u += dt v + dt^2/2 a,   v += dt a,   a_new = f(t + dt, u, v),   v += dt/2 (a_new - a).
/// So f sees the velocity of an explicit prediction, and damping leaves order 2; damping c alone is stable for c dt
/// <= 1. Without damping omega dt <= 2 is stable. Where f does not depend on v:
///   v += dt/2 a,   u += dt v,   a = f(t + dt, u),   v += dt/2 a.
/// Where f solves a = f(t, u, v + h a), with h = dt/2, the velocity is that of the new time, and damping bounds no
/// step:
///   v += dt/2 a,   u += dt v,   a = f(t + dt, u, v + dt/2 a),   v += dt/2 a.
/// Hughes, The Finite Element Method, section 9.1.
///
/// Vectors: a, and the last one where f depends on v. Bytes of a row and step: 64, or 72 where f depends on v.
/// It keeps a from step to step where a step begins when the last one ended; see `forget`.
template <class Exec>
class Newmark {
  using Vector = Array<double, typename Exec::Space>;

 public:
  /// `exec` must outlive it.
  Newmark(Exec& exec, Offset rows) : exec_(exec), a_(rows) {}

  /// u, v at t -> u, v at t + dt. *not_finite as of `Stepper::step`, for v.
  void step(Acceleration<Exec>& f, double t, double dt, View<double> u, View<double> v, double* not_finite) {
    if (!is_same_time(kept_at_, t, dt)) evaluate(f, t, u, v);
    Terms velocity;
    velocity.add(1, v);
    if (f.needs_velocity() && !f.solves_damping()) {
      if (a_before_.empty()) a_before_ = Vector(a_.size());
      newmark_predict(exec_, dt, dt, dt * dt / 2, a_, u, v);
      std::swap(a_, a_before_);
      evaluate(f, t + dt, u, v);
      velocity.add(dt / 2, a_);
      velocity.add(-dt / 2, a_before_);
    } else {
      newmark_predict(exec_, dt / 2, dt, dt * dt / 2, a_, u, v);
      evaluate(f, t + dt, u, v, dt / 2);
      velocity.add(dt / 2, a_);
    }
    combine_terms_checked(exec_, velocity, v, not_finite);
  }

  /// u, v or f is not what it was at the end of the last step.
  void forget() { kept_at_.reset(); }

  /// What a step cannot make again from u and v, bit by bit: a [rows] and the time of which it is, for a checkpoint.
  std::vector<double> kept() const { return to_vector(a_); }
  void restore(const std::vector<double>& a, double t) {
    a_ = to_space<typename Exec::Space>(a);
    kept_at_ = t;
  }

  /// [rows] at the end of the last step.
  View<const double> acceleration() const { return a_; }
  Offset evaluations() const { return evaluations_; }
  int vectors() const { return a_before_.empty() ? 1 : 2; }
  double bytes_per_step(Offset rows) const { return (a_before_.empty() ? 64.0 : 72.0) * static_cast<double>(rows); }

 private:
  void evaluate(Acceleration<Exec>& f, double t, View<const double> u, View<const double> v, double h = 0) {
    if (f.solves_damping())
      f.solve(t, h, u, v, a_);
    else
      f.evaluate(t, u, v, a_);
    ++evaluations_;
    kept_at_ = t;
  }

  Exec& exec_;
  Vector a_, a_before_;
  std::optional<double> kept_at_;
  Offset evaluations_ = 0;
};

}  // namespace tessera::solvers
