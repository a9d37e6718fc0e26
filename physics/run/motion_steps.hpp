#pragma once
// How long the steps of something that accelerates are: of runs, and of `tessera check`.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "linalg/vector_ops.hpp"
#include "physics/run/in_common.hpp"
#include "physics/run/motion.hpp"
#include "physics/run/over_ranks.hpp"
#include "physics/run/rough_start.hpp"
#include "physics/step_count.hpp"
#include "physics/time_scheme.hpp"
#include "solvers/time/stability.hpp"

namespace tessera::physics {

/// The right-hand side of (u, v)' = (v, a), both behind each other in one vector of the rows that a rank owns. Brings
/// the ghosts of u; inside of the motion, which each rank computes by itself, sums are its own.
template <class Exec>
class OwnMotion final : public solvers::RightHandSide<Exec> {
 public:
  using Space = typename Exec::Space;
  OwnMotion(Exec& exec, Motion<Exec>& motion, const OverRanks<Exec>& ranks, const Discretisation& space)
      : exec_(exec),
        motion_(motion),
        ranks_(ranks),
        space_(space),
        seen_u_(ranks ? space.rows() : 0),
        seen_v_(ranks ? space.rows() : 0) {}

  void evaluate(double t, View<const double> y, View<double> f) override {
    const Offset rows = y.size() / 2;
    linalg::copy(exec_, y.part(rows, rows), f.part(0, rows));
    const View<const double> u = seen_u(y.part(0, rows)), own_v = y.part(rows, rows),
                             v = motion_.lags()[1] > 0 ? seen_v(own_v) : own_v;
    const Linked alone(exec_, nullptr);
    motion_.evaluate(t, u, v, f.part(rows, rows));
  }
  bool start_of_power(View<double> y) override {
    const Offset rows = y.size() / 2;
    start_roughly<Space>(space_, y.part(0, rows));
    linalg::copy(exec_, View<const double>(y).part(0, rows), y.part(rows, rows));
    return true;
  }
  void restore_force(View<const double> u, View<double> a, double rates) {
    const View<const double> x = seen_u(u);
    const Linked alone(exec_, nullptr);
    motion_.restore_force(x, a, rates);
  }
  const Discretisation& space() const { return space_; }
  /// u [own rows] with the ghosts behind it, until it is asked for again; on one rank u itself.
  View<const double> seen_u(View<const double> u) { return seen(u, seen_u_); }
  View<const double> seen_v(View<const double> v) { return seen(v, seen_v_); }

 private:
  View<const double> seen(View<const double> own, Array<double, Space>& all) {
    if (!ranks_) return own;
    linalg::copy(exec_, own, all.view().part(0, own.size()));
    ranks_.update_ghosts(all.view());
    return all.view();
  }

  Exec& exec_;
  Motion<Exec>& motion_;
  const OverRanks<Exec>& ranks_;
  const Discretisation& space_;
  Array<double, Space> seen_u_, seen_v_;
};

/// Finds how long steps may be.
template <class Exec>
class LimitsOfSteps {
 public:
  using Space = typename Exec::Space;
  /// What steps are let expect, above what they are certainly unstable, and whether that is for what is coupled.
  struct Limits {
    double estimate, certain;
    bool coupled = false;
  };

  LimitsOfSteps(Exec& exec, const TimeParams& time, Motion<Exec>& motion, OwnMotion<Exec>& own_motion,
                const OverRanks<Exec>& ranks, const Share* share)
      : exec_(exec), time_(time), motion_(motion), own_motion_(own_motion), ranks_(ranks), share_(share) {}

  /// Newmark's scheme is stable for omega dt <= 2, whatever the damping, which it solves for but for beta K v: Hughes,
  /// The Finite Element Method, section 9.1.
  Limits find() {
    std::vector<double> all{motion_.highest_frequency(), motion_.strongest_damping(), motion_.frequency_of_leaps()};
    const double of_this_rank = all[2];
    in_common::largest(share_, all);
    place_ = of_this_rank == all[2] ? motion_.place_of_highest() : std::string();
    if (ranks_) place_ = first_text(ranks_.ranks(), place_);
    const double by_motion = motion_.frequency_from_below(ranks_);
    Limits limits = time_.scheme == "newmark" ? of_leapfrog(all[2], by_motion) : of_runge_kutta(all[0], all[1]);
    // Where a material changes inside of cells, or they are distorted, the estimate is no bound.
    limits.coupled = by_motion > 0 && stable_part * limits.certain < limits.estimate;
    limits.estimate = std::min(limits.estimate, stable_part * limits.certain);
    place_ = (limits.coupled ? "for what is coupled, which is faster than its fastest element, "
                             : "for the fastest element, ") +
             place_;
    return limits;
  }
  /// For which element, after find().
  const std::string& place() const { return place_; }

 private:
  /// The leapfrog with beta K v of half a step before is unstable where an eigenvalue of M^-1 (K + 2 beta K / dt) is
  /// above (2 / dt)^2.
  Limits of_leapfrog(double quickest, double by_motion) {
    const double estimate = 2 / quickest, beta = motion_.lags()[1];
    if (by_motion > 0)
      return {beta > 0 ? std::min(estimate, stable_part * solvers::damped_leap(2 / by_motion, beta)) : estimate,
              2 / by_motion};
    const double step = std::max(estimate, time_.step.value_or(0));
    return {estimate, 2 / frequency_from_below(beta > 0 ? 2 / step : 0)};
  }
  Limits of_runge_kutta(double omega, double damping) {
    const auto [least, greatest] = motion_.lags();
    const solvers::StepperParams params = stepper_params(time_);
    double estimate = solvers::damped_stability_limit(params, omega, greatest);
    if (damping > 0) estimate = std::min(estimate, solvers::real_stability_limit(params) / damping);
    return {estimate, solvers::damped_stability_limit(params, frequency_from_below(0), least)};
  }

  /// A frequency not above the largest of M^-1 (K + rates beta K): with the products of M a power method comes from
  /// below.
  double frequency_from_below(double rates) {
    constexpr int iterations = 40;
    const Index rows = ranks_.rows();
    Array<double, Space> x(rows), y(rows), weighed(rows), sum(1);
    start_roughly<Space>(own_motion_.space(), x.view());
    double eigenvalue = 0;
    for (int i = 0; i < iterations; ++i) {
      const double size = norm(x, weighed, sum);
      if (!(size > 0)) return std::max(std::sqrt(eigenvalue), 1e-300);
      linalg::scale(exec_, 1 / size, x.view());
      own_motion_.restore_force(x.view(), y.view(), rates);
      eigenvalue = norm(y, weighed, sum);
      std::swap(x, y);
    }
    return std::max(std::sqrt(eigenvalue), 1e-300);
  }
  double norm(const Array<double, Space>& x, Array<double, Space>& weighed, Array<double, Space>& sum) {
    linalg::copy(exec_, x.view(), weighed.view());
    motion_.weigh(weighed.view());
    linalg::dot(exec_, x.view(), std::as_const(weighed).view(), sum.data());
    return std::sqrt(to_vector(sum)[0]);
  }

  Exec& exec_;
  const TimeParams& time_;
  Motion<Exec>& motion_;
  OwnMotion<Exec>& own_motion_;
  const OverRanks<Exec>& ranks_;
  const Share* share_;
  std::string place_;
};

/// The step of the deck, or its part of the longest one, which becomes `longest`. Throws Error(usage) where it is
/// certainly unstable, warns where the estimate says so. Collective.
template <class Exec>
double length_of_steps(Exec& exec, const TimeParams& time, Motion<Exec>& motion, OwnMotion<Exec>& own_motion,
                       const OverRanks<Exec>& ranks, const Share* share, double* longest) {
  LimitsOfSteps<Exec> limits_of(exec, time, motion, own_motion, ranks, share);
  const auto limits = limits_of.find();
  *longest = limits.estimate;
  const double step = time.cfl ? *time.cfl * limits.estimate : *time.step;
  check_chosen_step(time, step);
  if (step > limits.certain)
    throw Error(
        ExitCode::usage,
        fmt::format("steps of {:.6g} are unstable on this mesh: with {} they may be {:.3g} long, {}", step, time.scheme,
                    std::min(limits.certain, limits.estimate), limits_of.place()),
        fmt::format("choose step = {:.2g}, or cfl = 0.8 in its place", 0.8 * std::min(limits.certain, limits.estimate)),
        time.where);
  if (step > limits.estimate)
    warn(fmt::format("steps of {:.6g} may be unstable: mesh and material let expect {:.3g} at most ({})", step,
                     limits.estimate, limits_of.place()));
  return step;
}

}  // namespace tessera::physics
