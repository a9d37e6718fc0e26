#pragma once
// Implicit steps of the scheme: the theta method with the Jacobian of the group fluxes in block rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "physics/conservation/implicit_ops.hpp"
#include "physics/conservation/implicit_system.hpp"
#include "physics/conservation/steps.hpp"
#include "physics/conservation/theta_calls.hpp"

namespace tessera::physics::conservation {

struct ThetaParams {
  double theta = 1;
  double tolerance = 1e-6;  ///< of Newton's corrections, in the square mean and in units of the state's own means
  int max_iterations = 20;
  bool limits = false;  ///< whether the scheme has Limiter::monolithic; others limit the end of a step
  solvers::SolverParams solver;
};

/// What implicit steps have solved.
struct ThetaWork {
  Offset systems = 0, iterations = 0, matrices = 0;
  solvers::Report linear;  ///< of the last one
};

/// Steps
///   u' = u + dt (theta r(u') + (1 - theta) r(u)),   r(u) = (B(u + tau R(u) / m) - u) / tau,
/// with what boundaries make of a state, B, and the longest explicit step tau of each node: r is the rate of change
/// that a short explicit step has, so that what is at rest with explicit steps is at rest with these. By Newton's
/// method with the Jacobian of implicit_rows.hpp, whose viscosities and limits stay as they are: corrections fall
/// linearly. Limits that switch from iteration to iteration would keep them from falling, so that after a few they
/// follow ever less, as Scheme::set_blend says. Goeddeke, Komatitsch and Moeller, sections 9.2.4 and 9.2.5. All that
/// is decided of a step is of sums over ranks, so that they decide alike.
template <class Exec>
class ThetaSteps final : public SchemeSteps<Exec> {
  using Base = SchemeSteps<Exec>;

 public:
  using typename Base::Done, typename Base::Space;

  /// `bounded`: own nodes that `constrain` changes, each once. The scheme must outlive it.
  ThetaSteps(Exec& exec, Scheme<Exec>& scheme, ThetaParams params, const std::vector<Index>& bounded,
             ThetaCalls<Exec> calls)
      : Base(exec, scheme, {Stage{0, 1}}, std::move(calls.constrain), std::move(calls.least), std::move(calls.prepare)),
        params_(std::move(params)),
        n_(scheme.numbers()),
        owned_(scheme.longest_steps().size()),
        all_numbers_(n_ * (calls.ranks && *calls.ranks ? calls.ranks->space().index_map.global_size() : owned_)),
        constrain_alone_(std::move(calls.constrain_alone)),
        update_ghosts_(std::move(calls.update_ghosts)),
        system_(exec, scheme, params_.solver, calls.ranks),
        bounded_(to_space<Space>(bounded)),
        turns_(bounded_.size() * n_ * n_),
        sums_(n_) {
    std::vector<Index> slots(static_cast<std::size_t>(owned_), -1);
    for (std::size_t k = 0; k < bounded.size(); ++k)
      slots[static_cast<std::size_t>(bounded[k])] = static_cast<Index>(k);
    slots_ = to_space<Space>(slots);
    if (params_.limits) scheme.set_blend(1);
    for (Array<double, Space>* x : {&base_, &above_, &below_, &start_, &rates_})
      *x = Array<double, Space>(scheme.nodes() * n_);
    for (Array<double, Space>* x : {&b_, &x_}) *x = Array<double, Space>(owned_ * n_);
  }

  Done step(double t, double cfl, double most, double least = 0) override {
    constexpr int halvings = 20;
    Done done;
    this->bad_ = -1;
    unsolved_.clear();
    in_vain_ = 0;
    double dt = cfl > 0 ? std::min(cfl * this->longest(), most) : most;
    for (int attempt = 0; attempt < halvings; ++attempt, dt *= 0.5) {
      if ((dt < least && dt < most) || t + dt == t) break;
      if (reach(t, dt)) {
        done.dt = dt;
        return done;
      }
      ++done.rejected;
      this->take(0, t, 0);
      (void)this->read(1);
      if (gives_up(dt / this->longest())) break;
    }
    return done;
  }

  /// One correction of implicit Euler by cfl times the longest explicit step of each node, or a part of it.
  bool step_locally(double t, double cfl) override {
    constexpr int halvings = 12;
    ImplicitStep step = step_of(cfl);
    evaluate(0, t);
    this->square_of_rates_ = this->scheme_.square_of_rates(state(0), state(1), 1);
    linalg::copy(this->exec_, state(0), base_.view());
    this->bad_ = -1;
    in_vain_ = 0;
    locally_rejected_ = 0;
    for (int attempt = 0; attempt < halvings; ++attempt, step.cfl *= 0.5) {
      linalg::copy(this->exec_, state(0), this->u_[2].view());
      if (correct(0, t, step, std::as_const(rates_).view().part(0, 0))) {
        this->constrain_(t, this->u_[2].view());
        this->take(2, t, 0);
        if (this->read(1)) {
          this->local_cfl_ = step.cfl;
          std::swap(this->u_[0], this->u_[2]);
          return true;
        }
        this->take(0, t, 0);
        (void)this->read(1);
        evaluate(0, t);
      }
      ++locally_rejected_;
      if (gives_up(step.cfl)) break;
    }
    return false;
  }

  const ThetaWork& work() const { return work_; }
  /// What the last step that was tried was too long for, where it kept the state, and what the user may do about it;
  /// empty: nothing.
  std::string unsolved() const {
    if (unsolved_.empty()) return {};
    return unsolved_ +
           (!is_of_solver_                ? "; raise newton.max_iterations or newton.tolerance, or choose"
            : has_run_out_of_iterations() ? "; raise solver.max_iterations, choose another solver.preconditioner, or"
                                          : "; choose") +
           " a smaller time.cfl or time.step";
  }
  /// Longer steps that the last one of step_locally was tried with.
  Offset locally_rejected() const { return locally_rejected_; }

 private:
  /// ImplicitStep::limited: with all of it nothing but the step would be on the diagonal where the flow is smooth, and
  /// preconditioners fail at a cfl of 50; with half of it a transonic profile took twice the steps (2026-11-26).
  static constexpr double weight_of_limits = 0.9;

  /// Whether shorter steps than this one, `part` of the longest explicit one, would lead nowhere: its equations, and
  /// those of a step twice as long, have no solution that could be found, where those of any solver are easy, and of
  /// Newton's method should long be. One that fails may be a breakdown by chance.
  bool gives_up(double part) {
    constexpr double of_systems = 1, of_newton = 0.01;
    constexpr int tries = 2;
    if (unsolved_.empty() || part > (is_of_solver_ ? of_systems : of_newton)) return false;
    return ++in_vain_ >= tries;
  }

  bool has_run_out_of_iterations() const { return work_.linear.iterations >= params_.solver.max_iterations; }

  View<const double> state(std::size_t which) const { return std::as_const(this->u_[which]).view(); }

  /// At the own nodes u_[1] = what a step of tau of each node makes of the state `which`, which was taken; above_ the
  /// same before the boundaries have changed it.
  void evaluate(int which, double t) {
    const View<const double> u = state(static_cast<std::size_t>(which));
    const double dt = this->limits_[0].longest;
    this->scheme_.advance(u, dt, 0, u, above_.view());
    this->scheme_.stretch(u, dt, 1, 0, u, above_.view());
    linalg::copy(this->exec_, std::as_const(above_).view(), this->u_[1].view());
    constrain_alone_(t, this->u_[1].view());
    ++this->evaluations_;
  }

  /// Units of the numbers of a state: their means, and of vectors the root of the product of both scalars.
  ImplicitStep step_of(double cfl, double dt = 0) {
    ImplicitStep step;
    step.theta = params_.theta;
    step.dt = dt;
    step.cfl = cfl;
    step.limited = params_.limits ? weight_of_limits : 0;
    step.slot = slots_.data();
    step.turns = turns_.data();
    const View<const double> mass = this->scheme_.lumped_mass().part(0, owned_);
    integrals(this->exec_, n_, mass, state(0), sums_.data());
    const std::vector<double> sums = to_vector(sums_);
    for (int k = 0; k < n_; ++k)
      step.scales[k] = k < 2 ? sums[static_cast<std::size_t>(k)] : std::sqrt(sums[0] * sums[1]);
    if (measure_ == 0) {
      linalg::fill(this->exec_, base_.view(), 1);
      integrals(this->exec_, 1, mass, std::as_const(base_).view().part(0, owned_), sums_.data());
      measure_ = to_vector(sums_)[0];
    }
    for (int k = 0; k < n_; ++k) step.scales[k] /= measure_;
    return step;
  }

  /// Whether a step of dt ends with a state, which is then u_[0] and was taken. Boundaries constrain that state alone:
  /// between a base and what boundaries make of a rate, roots of the equations are mixtures that no boundary lets be.
  bool reach(double t, double dt) {
    const ImplicitStep step = step_of(0, dt);
    View<const double> before;
    if (params_.theta < 1) {
      follow_limits(0);
      this->take(0, t, 0);
      evaluate(0, t);
      rates_of(this->exec_, n_, this->scheme_.longest_steps(), state(0), state(1), rates_.view());
      before = std::as_const(rates_).view();
    }
    linalg::copy(this->exec_, state(0), base_.view());
    this->constrain_(t + dt, base_.view());
    linalg::copy(this->exec_, std::as_const(base_).view(), this->u_[2].view());
    unsolved_.clear();
    constexpr int patience = 3;
    constexpr double falls = 0.9;  // in as many corrections at least
    double best = std::numeric_limits<double>::infinity();
    int in_vain = 0;
    for (int k = 0; k < params_.max_iterations; ++k) {
      follow_limits(k);
      this->take(2, t + dt, 0);
      if (!this->read(1)) return false;
      evaluate(2, t + dt);
      if (!correct(2, t + dt, step, before)) return false;
      if (update_ghosts_) update_ghosts_(this->u_[2].view());
      if (change_ <= params_.tolerance)
        return ends_with(2, t + dt) && (!this->scheme_.corrects() || ends_corrected(t, dt));
      in_vain = change_ < falls * best ? 0 : in_vain + 1;
      best = std::min(best, change_);
      if (in_vain >= patience || k + 1 == params_.max_iterations) {
        is_of_solver_ = false;
        unsolved_ = fmt::format(
            "Newton's method to converge: correction {} of a step of {:.3g} is {:.3g}, newton.tolerance is {:g} and "
            "newton.max_iterations {}",
            k + 1, dt, change_, params_.tolerance, params_.max_iterations);
        return false;
      }
    }
    return false;
  }

  /// Whether a vector is a state after what the boundaries make of it at time t: then it is the state of the step.
  bool ends_with(std::size_t which, double t) {
    this->constrain_(t, this->u_[which].view());
    this->take(which, t, 0);
    if (!this->read(1)) return false;
    std::swap(this->u_[0], this->u_[which]);
    return true;
  }

  /// The same of the state of low order at the end of a step of dt, u_[0], with what limits allow of the high order.
  bool ends_corrected(double t, double dt) {
    this->scheme_.correct(state(0), dt, this->u_[1].view());
    std::swap(this->u_[0], this->u_[2]);  // the state before the step, which a shorter one would begin with
    return ends_with(1, t + dt);
  }

  /// Of iteration k limits are the new ones, and from the fourth on a part of that.
  void follow_limits(int k) {
    constexpr int at_once = 3;
    if (params_.limits) this->scheme_.set_blend(k < at_once ? 1 : std::pow(0.25, k + 1 - at_once));
  }

  /// u_[2] is corrected, by the system of `at`, which was evaluated; whether that was solved.
  bool correct(int at, double t, const ImplicitStep& step, View<const double> before) {
    const View<const double> u = state(static_cast<std::size_t>(at)), tau = this->scheme_.longest_steps();
    right_side(this->exec_, n_, step, tau, std::as_const(base_).view(), u, state(1), before, b_.view());
    differentiate_boundaries(t);
    ++work_.matrices;
    work_.linear = system_.solve(u, step, std::as_const(b_).view(), x_.view());
    ++work_.systems;
    work_.iterations += work_.linear.iterations;
    if (!work_.linear.converged) {
      is_of_solver_ = true;
      unsolved_ = "its system to be solved: " + work_.linear.failure;
      return false;
    }
    unsolved_.clear();
    add_correction(this->exec_, n_, step, std::as_const(x_).view(), this->u_[2].view(), sums_.data());
    change_ = std::sqrt(to_vector(sums_)[0] / static_cast<double>(all_numbers_));
    return true;
  }

  /// By central differences: constraints of boundaries are short functions of the state of a node. With a part of 1e-5
  /// rounding leaves 1e-11 of them and the third derivatives as much; a gas stays one up to a Mach number of 500.
  /// Collective.
  void differentiate_boundaries(double t) {
    if (bounded_.empty() && !update_ghosts_) return;
    constexpr double by = 1e-5;
    linalg::copy(this->exec_, std::as_const(above_).view(), start_.view());
    linalg::copy(this->exec_, std::as_const(above_).view(), below_.view());
    const View<const double> start = std::as_const(start_).view();
    for (int c = 0; c < n_; ++c) {
      shift_component(this->exec_, n_, bounded_.view(), c, by, start, above_.view());
      shift_component(this->exec_, n_, bounded_.view(), c, -by, start, below_.view());
      constrain_alone_(t, above_.view());
      constrain_alone_(t, below_.view());
      difference_column(this->exec_, n_, bounded_.view(), c, by, start, std::as_const(above_).view(),
                        std::as_const(below_).view(), turns_.view());
    }
    linalg::copy(this->exec_, start, above_.view());
  }

  ThetaParams params_;
  int n_;
  Offset owned_, all_numbers_;  ///< nodes of this rank; numbers of a state of all ranks
  typename Base::Constrain constrain_alone_;
  std::function<void(View<double>)> update_ghosts_;
  ImplicitSystem<Exec> system_;
  Array<Index, Space> bounded_, slots_;
  Array<double, Space> turns_, sums_;
  Array<double, Space> base_, above_, below_, start_, rates_, b_, x_;
  double change_ = 0, measure_ = 0;
  ThetaWork work_;
  std::string unsolved_;
  bool is_of_solver_ = false;  ///< whether it was a system, and not Newton's method
  int in_vain_ = 0;            ///< tries of a step that is short enough
  Offset locally_rejected_ = 0;
};

}  // namespace tessera::physics::conservation
