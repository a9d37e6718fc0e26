#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "linalg/vector_ops.hpp"
#include "solvers/time/chebyshev.hpp"
#include "solvers/time/stepper.hpp"

namespace tessera::solvers {

/// Runge-Kutta-Chebyshev of order 2, for f whose eigenvalues lie near the negative real axis. The number of stages
/// follows from dt and the spectral radius of df/du. Where f does not tell the latter, a nonlinear power method finds
/// it: at the beginning, every 25 steps, and after a step whose error was too large. It starts from the last
/// eigenvector, the first time from random numbers (the right-hand side, with which the authors start, may have no part
/// in the eigenvector), and its result is raised by a fifth. Sommeijer, Shampine & Verwer 1998; Numerical Computations
/// with GPUs, section 8.2.2 and appendix.
///
/// Vectors: f_0, f, w_{j-1}, w_{j-2}, and the eigenvector. Bytes of a row and step: 16 + 48 (s - 1), with an estimate
/// 40 more. The power method takes 56 and an evaluation for each of its iterations, of which there are a few.
template <class Exec>
class Rkc final : public Stepper<Exec> {
  using Base = Stepper<Exec>;
  using typename Base::Vector;

 public:
  Rkc(Exec& exec, Offset rows, const StepperParams& params)
      : Base(exec, rows, params.adaptive),
        fixed_stages_(params.stages),
        scheme_(std::max(params.stages, 2)),
        f0_(rows),
        f_(rows),
        w_{Vector(rows), Vector(rows)} {}

  void step(RightHandSide<Exec>& f, double t, double dt, View<double> u, double* not_finite) override {
    combine_terms_checked(exec_, last_stage(f, t, dt, u), u, not_finite);
    rate_at_.reset();
    ++radius_age_;
  }

  double step_with_error(RightHandSide<Exec>& f, double t, double dt, const StepTolerance& tolerance,
                         View<double> u) override {
    const Terms last = last_stage(f, t, dt, u);
    // The last stage becomes u, and the old u takes the place of w_{s-2}.
    const View<double> before = w_[scheme_.stages % 2].view();
    combine_terms_keeping(exec_, last, u, before);
    this->evaluate(f, t + dt, u, f_);
    // e = 4/5 (u before - u) + 2/5 dt (f_0 + f)
    Terms error;
    error.add(0.8, before);
    error.add(-0.8, u);
    error.add(0.4 * dt, f0_);
    error.add(0.4 * dt, f_);
    error_squares(exec_, error, tolerance, before, u, this->sum());
    std::swap(f0_, f_);
    before_ = t;
    rate_at_ = t + dt;
    this->took(dt);
    ++radius_age_;
    return this->read_norm();
  }

  void undo(View<double> u) override {
    linalg::copy(exec_, w_[scheme_.stages % 2], u);
    std::swap(f0_, f_);
    rate_at_ = before_;
    // A radius of this very u is kept, an older one has to be looked at.
    radius_age_ = radius_age_ > 1 ? radius_lasts : 0;
  }

  double first_step(RightHandSide<Exec>& f, double t, double longest, const StepTolerance& tolerance,
                    View<const double> u) override {
    evaluate_first(f, t, u);
    return this->guess_first_step(f, t, longest, tolerance, u, f0_, w_[0], f_);
  }

  double stable_step(RightHandSide<Exec>& f, double t, double dt, const StepTolerance& tolerance,
                     View<const double> u) override {
    evaluate_first(f, t, u);
    const double radius = radius_at(f, t, dt, u);
    // Rounding of s stages is about s^2 times that of one.
    const double most = std::sqrt(tolerance.relative / (10 * std::numeric_limits<double>::epsilon()));
    const int stages = fixed_stages_ > 0
                           ? fixed_stages_
                           : static_cast<int>(std::clamp(most, 2.0, static_cast<double>(most_chebyshev_stages)));
    const double longest = (1 - 1e-12) * chebyshev_reach(stages) / radius;
    return longest < dt ? longest : dt;
  }

  void forget() override { rate_at_.reset(); }

  typename Base::Kept kept() const override {
    typename Base::Kept result{{}, {radius_, static_cast<double>(radius_age_)}};
    if (has_eigenvector_) result.vectors.push_back(to_vector(eigenvector_));
    return result;
  }
  void restore(const typename Base::Kept& kept) override {
    radius_ = kept.numbers.at(0);
    radius_age_ = static_cast<int>(kept.numbers.at(1));
    has_eigenvector_ = !kept.vectors.empty();
    if (has_eigenvector_) eigenvector_ = to_space<typename Exec::Space>(kept.vectors.front());
  }

  int error_order() const override { return 3; }
  int vectors() const override { return eigenvector_.empty() ? 4 : 5; }
  double bytes_per_step(Offset rows) const override {
    return (16.0 + 48.0 * (scheme_.stages - 1) + (this->adaptive() ? 40 : 0)) * static_cast<double>(rows);
  }

  /// Stages of the last step, and the spectral radius that they were chosen for.
  int stages() const { return scheme_.stages; }
  double radius() const { return radius_; }

 private:
  using Base::exec_, Base::rows_;

  static constexpr int radius_lasts = 25;
  static constexpr int most_iterations = 50;
  static constexpr double radius_safety = 1.2;

  void evaluate_first(RightHandSide<Exec>& f, double t, View<const double> u) {
    if (this->is_now(rate_at_, t)) return;
    this->evaluate(f, t, u, f0_);
    rate_at_ = t;
  }

  /// All stages but the last, of which it returns the terms.
  Terms last_stage(RightHandSide<Exec>& f, double t, double dt, View<const double> u) {
    evaluate_first(f, t, u);
    choose_stages(f, t, dt, u);
    const ChebyshevScheme& scheme = scheme_;
    // w_1 = u + mu_tilde_1 dt f_0
    Terms first;
    first.add(1, u);
    first.add(scheme.mu_tilde[1] * dt, f0_);
    combine_terms(exec_, first, w_[1].view());
    for (int j = 2;; ++j) {
      this->evaluate(f, t + scheme.c[j - 1] * dt, w_[(j - 1) % 2], f_);
      // w_j = (1 - mu_j - nu_j) u + mu_j w_{j-1} + nu_j w_{j-2} + mu_tilde_j dt f + gamma_tilde_j dt f_0; w_0 = u
      Terms terms;
      terms.add(1 - scheme.mu[j] - scheme.nu[j], u);
      terms.add(scheme.mu[j], w_[(j - 1) % 2]);
      terms.add(scheme.nu[j], j == 2 ? u : w_[j % 2]);
      terms.add(scheme.mu_tilde[j] * dt, f_);
      terms.add(scheme.gamma_tilde[j] * dt, f0_);
      if (j == scheme.stages) return terms;
      combine_terms(exec_, terms, w_[j % 2].view());
    }
  }

  void choose_stages(RightHandSide<Exec>& f, double t, double dt, View<const double> u) {
    if (fixed_stages_ > 0) return;
    const double radius = radius_at(f, t, dt, u);
    // What is not finite shows in u.
    const int stages = chebyshev_stages(std::isfinite(radius) ? dt * radius : 0);
    if (stages != scheme_.stages) scheme_ = ChebyshevScheme(stages);
  }

  /// The spectral radius at (t, u), or one that is recent enough; f_0 is f there.
  double radius_at(RightHandSide<Exec>& f, double t, double dt, View<const double> u) {
    // An error would show one that has become too small; without an estimate it must be that of the step.
    const int lasts = f.spectral_radius_varies() && !this->adaptive() ? 1 : radius_lasts;
    if (radius_age_ < lasts) return radius_;
    radius_age_ = 0;
    radius_ = f.spectral_radius(t, u);
    if (!(radius_ > 0)) radius_ = radius_safety * estimate_radius(f, t, dt, u);
    return radius_;
  }

  double norm_of_difference(View<const double> x, View<const double> y) {
    square_of_difference(exec_, x, y, this->sum());
    return std::sqrt(this->read_sum());
  }

  /// ||f(t, v) - f(t, u)|| / ||v - u|| for a small v - u that approaches the eigenvector of the largest eigenvalue.
  double estimate_radius(RightHandSide<Exec>& f, double t, double dt, View<const double> u) {
    if (eigenvector_.empty()) eigenvector_ = Vector(rows_);
    const View<double> v = eigenvector_.view(), there = w_[0].view();
    if (!has_eigenvector_ && !f.start_of_power(v)) linalg::fill_random(exec_, v, 1);
    double size = std::max(norm_of_difference(u, {}), dt * norm_of_difference(f0_, {}));
    size = std::sqrt(std::numeric_limits<double>::epsilon()) * (size > 0 ? size : 1);
    // v = u + (size / ||v||) v
    Terms moved;
    moved.add(1, u);
    moved.add(size / norm_of_difference(v, {}), v);
    combine_terms(exec_, moved, v);
    double radius = 0;
    for (int iteration = 1; iteration <= most_iterations; ++iteration) {
      this->evaluate(f, t, v, there);
      const double change = norm_of_difference(there, f0_), before = std::exchange(radius, change / size);
      const bool settled = iteration > 1 && std::abs(radius - before) <= 0.01 * std::max(radius, 1 / dt);
      has_eigenvector_ = change > 0;
      const bool last = settled || !(change > 0) || iteration == most_iterations;
      // v = u + (size / change) (f(t, v) - f(t, u)), and at last without u
      Terms next;
      if (!last) next.add(1, u);
      next.add(size / change, there);
      next.add(-size / change, f0_);
      combine_terms(exec_, next, v);
      if (last) return iteration == most_iterations ? std::max(radius, before) : radius;
    }
    return radius;
  }

  int fixed_stages_;
  ChebyshevScheme scheme_;
  Vector f0_, f_, w_[2], eigenvector_;
  bool has_eigenvector_ = false;
  std::optional<double> rate_at_;  ///< f_0 is f at this time and the u of that time
  double before_ = 0;              ///< the time before the last step with an error
  double radius_ = 0;
  int radius_age_ = radius_lasts;  ///< in steps
};

}  // namespace tessera::solvers
