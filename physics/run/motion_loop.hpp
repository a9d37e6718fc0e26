#pragma once
// A run through time of something that accelerates: M u'' = f(t, u, u').
#include <memory>

#include "base/log.hpp"
#include "base/profile.hpp"
#include "linalg/vector_ops.hpp"
#include "physics/run/in_common.hpp"
#include "physics/run/motion.hpp"
#include "physics/run/over_ranks.hpp"
#include "physics/run/report.hpp"
#include "physics/run/walk.hpp"
#include "physics/time_scheme.hpp"
#include "solvers/time/advance.hpp"
#include "solvers/time/stability.hpp"

namespace tessera::physics {

/// A motion whose vectors are those of the rows that a rank owns. Brings the ghosts of u; inside of the motion, which
/// each rank computes by itself, sums are its own.
template <class Exec>
class OwnMotion final : public solvers::Acceleration<Exec>, public solvers::RightHandSide<Exec> {
 public:
  using Space = typename Exec::Space;
  OwnMotion(Exec& exec, Motion<Exec>& motion, const OverRanks<Exec>& ranks, Index rows_seen)
      : exec_(exec), motion_(motion), ranks_(ranks), seen_(ranks ? rows_seen : 0) {}

  bool needs_velocity() const override { return motion_.needs_velocity(); }
  bool solves_damping() const override { return motion_.solves_damping(); }
  void evaluate(double t, View<const double> u, View<const double> v, View<double> a) override {
    const View<const double> x = seen(u);
    const Linked alone(exec_, nullptr);
    motion_.evaluate(t, x, v, a);
  }
  void solve(double t, double h, View<const double> u, View<const double> v, View<double> a) override {
    const View<const double> x = seen(u);
    const Linked alone(exec_, nullptr);
    motion_.solve(t, h, x, v, a);
  }
  /// (u, v)' = (v, a): both behind each other in one vector.
  void evaluate(double t, View<const double> y, View<double> f) override {
    const Offset rows = y.size() / 2;
    linalg::copy(exec_, y.part(rows, rows), f.part(0, rows));
    evaluate(t, y.part(0, rows), y.part(rows, rows), f.part(rows, rows));
  }
  void restore_force(View<const double> u, View<double> a) {
    const View<const double> x = seen(u);
    const Linked alone(exec_, nullptr);
    motion_.restore_force(x, a);
  }
  /// u [own rows] with the ghosts behind it, until it is asked for again; on one rank u itself.
  View<const double> seen(View<const double> u) {
    if (!ranks_) return u;
    linalg::copy(exec_, u, seen_.view().part(0, u.size()));
    ranks_.update_ghosts(seen_.view());
    return seen_.view();
  }

 private:
  Exec& exec_;
  Motion<Exec>& motion_;
  const OverRanks<Exec>& ranks_;
  Array<double, Space> seen_;
};

/// Takes u and v from the start to the end of [time] by Newmark's scheme, or by a Runge-Kutta scheme for both. All
/// stays where the backend computes but for what is looked at. Collective.
template <class Exec>
class MotionLoop : private Walk<Exec> {
 public:
  using typename Walk<Exec>::Space;

  MotionLoop(Exec& exec, const CommonParams& params, Motion<Exec>& motion, const Discretisation& space,
             Context& context)
      : Walk<Exec>(exec, space, context),
        time_(*params.time),
        motion_(motion),
        share_(space.shared()),
        ranks_(exec, space, context.summary),
        own_motion_(exec, motion, ranks_, space.rows()),
        first_row_(space.ranks ? space.first_row() : 0),
        rows_(ranks_.rows()),
        state_(Offset{2} * rows_),
        stop_(stop_of(context)) {}

  /// `state` is the first one, or that of a checkpoint, and becomes the last. Where the run is stopped it is saved.
  TimeReport run(State& state, const StateVisitor& visitor) {
    const StopsBetweenSteps here(context_);
    const Linked linked(exec_, ranks_.link());
    report_.t = state.t;
    report_.step = state.step;
    if (state.step > 0) state.rate = state.kept.vectors.at(0);
    put(u(), own(state.u));
    put(v(), own(state.rate));
    motion_.prescribe(state.t, u(), v());
    const double step = step_length();
    take(state);
    if (state.step == 0 && visitor.samples(0)) sample_all(state, visitor);
    if (begins(state, visitor)) visitor.visit(state);
    if (time_.scheme == "newmark")
      run_newmark(state, visitor, step);
    else
      run_runge_kutta(state, visitor, step);
    return report_;
  }

 private:
  using Walk<Exec>::exec_, Walk<Exec>::context_, Walk<Exec>::report_;
  using Walk<Exec>::begins, Walk<Exec>::sample, Walk<Exec>::look, Walk<Exec>::count, Walk<Exec>::seen, Walk<Exec>::own,
      Walk<Exec>::looks_at_rates;

  View<double> u() { return state_.view().part(0, rows_); }
  View<double> v() { return state_.view().part(rows_, rows_); }

  void put(View<double> to, const std::vector<double>& values) {
    copy_bytes(Host{}, values.data(), Space{}, to.data(), values.size() * sizeof(double));
  }
  void take(State& state) {
    const std::vector<double> both = to_vector(state_);
    state.u = seen({both.begin(), both.begin() + rows_});
    state.rate = seen({both.begin() + rows_, both.end()});
  }

  void sample_all(const State& state, const StateVisitor& visitor) {
    if (!looks_at_rates(visitor)) return sample(state, visitor, own_motion_.seen(u()));
    if (!ranks_) return sample(state, visitor, u(), v());
    const auto of_u = to_space<Space>(to_vector_of(own_motion_.seen(u())));
    sample(state, visitor, of_u.view(), own_motion_.seen(v()));
  }
  static std::vector<double> to_vector_of(View<const double> x) {
    std::vector<double> result(static_cast<std::size_t>(x.size()));
    copy_bytes(Space{}, x.data(), Host{}, result.data(), result.size() * sizeof(double));
    return result;
  }

  void run_newmark(State& state, const StateVisitor& visitor, double step) {
    solvers::Newmark<Exec> newmark(exec_, rows_);
    // Where values are prescribed anew after each step, the next one makes the acceleration anew, too.
    if (state.step > 0 && !motion_.prescribes()) newmark.restore(own(state.kept.vectors.at(1)), state.t);
    const auto keep = [&] { state.kept = {{state.rate, seen(newmark.kept())}, {}}; };
    walk(
        state, visitor, keep, [&] { newmark.forget(); },
        [&](const solvers::StepMonitor& monitor) {
          return solvers::advance(exec_, newmark, own_motion_, time_.start, time_.end, step, u(), v(), monitor,
                                  state.step);
        });
  }

  void run_runge_kutta(State& state, const StateVisitor& visitor, double step) {
    const auto stepper = solvers::make_stepper(exec_, 2 * rows_, parameters());
    const auto keep = [&] { state.kept = {{state.rate}, {}}; };
    walk(
        state, visitor, keep, [&] { stepper->forget(); },
        [&](const solvers::StepMonitor& monitor) {
          return solvers::advance(exec_, *stepper, own_motion_, time_.start, time_.end, step, state_.view(), monitor,
                                  state.step);
        });
  }

  /// `forget`: u and v were changed between two steps; `advance` goes through all steps.
  template <class Keep, class Forget, class Advance>
  void walk(State& state, const StateVisitor& visitor, Keep keep, Forget forget, Advance advance) {
    const auto take_state = [&] { take(state); };
    const auto accepted = [&](Offset, double t, double dt) {
      const double before = state.t;
      ++state.step;
      state.t = t;
      if (motion_.prescribes()) {
        motion_.prescribe(t, u(), v());
        forget();
      }
      count(state, dt, (t - time_.start) / (time_.end - time_.start), fmt::format("dt {:.3g}", dt));
      if (visitor.samples(state.step)) sample_all(state, visitor);
      look(state, visitor, before, t == time_.end, take_state, keep);
    };
    solvers::TimeReport done;
    {
      Scope scope(exec_, "steps");
      done = advance(solvers::StepMonitor{accepted, stop_});
    }
    take(state);
    if (done.interrupted && state.step > 0) {
      keep();
      visitor.save(state);
    }
    report_.finished = done.finished;
    report_.interrupted = done.interrupted;
    report_.evaluations = done.evaluations;
    report_.failure = done.failure;
    report_.help = "choose a shorter step or a smaller cfl";
  }

  solvers::StepperParams parameters() const {
    solvers::StepperParams params = stepper_params(time_);
    params.first_row = first_row_;
    return params;
  }

  /// The step of the deck, or its part of the longest one. Throws Error(usage) where it is certainly unstable, warns
  /// where the estimate says so. Newmark's scheme is stable for omega dt <= 2, whatever the damping, which it solves
  /// for: Hughes, The Finite Element Method, section 9.1.
  double step_length() {
    std::vector<double> all{motion_.highest_frequency(), motion_.strongest_damping()};
    const double of_this_rank = all[0];
    in_common::largest(share_, all);
    const double omega = all[0], damping = all[1];
    std::string place = of_this_rank == omega ? motion_.place_of_highest() : std::string();
    if (ranks_) place = first_text(ranks_.ranks(), place);
    double limit = 2, estimate = limit / omega;
    if (time_.scheme != "newmark") {
      limit = solvers::imaginary_stability_limit(parameters());
      estimate = limit / omega;
      if (damping > 0) estimate = std::min(estimate, solvers::real_stability_limit(parameters()) / damping);
    }
    report_.stable_step = estimate;
    const double step = time_.cfl ? *time_.cfl * estimate : *time_.step;
    const double certain = limit / frequency_from_below();
    if (step > certain)
      throw Error(ExitCode::usage,
                  fmt::format("steps of {:.6g} are unstable on this mesh: with {} they may be {:.3g} long, for the "
                              "fastest element, {}",
                              step, time_.scheme, std::min(certain, estimate), place),
                  fmt::format("choose step = {:.2g}, or cfl = 0.8 in its place", 0.8 * std::min(certain, estimate)),
                  time_.where);
    if (step > estimate)
      warn(fmt::format("steps of {:.6g} may be unstable: mesh and material let expect {:.3g} at most ({})", step,
                       estimate, place));
    return step;
  }

  /// A frequency that M^-1 K certainly has: iterations of a power method come from below.
  double frequency_from_below() {
    constexpr int iterations = 40;
    Array<double, Space> x(rows_), y(rows_), sum(1);
    linalg::fill_random(exec_, x.view(), 1, first_row_);
    double eigenvalue = 0;
    for (int i = 0; i < iterations; ++i) {
      const double size = norm(x, sum);
      if (!(size > 0)) return std::max(std::sqrt(eigenvalue), 1e-300);
      linalg::scale(exec_, 1 / size, x.view());
      own_motion_.restore_force(x.view(), y.view());
      eigenvalue = norm(y, sum);
      std::swap(x, y);
    }
    return std::max(std::sqrt(eigenvalue), 1e-300);
  }
  double norm(const Array<double, Space>& x, Array<double, Space>& sum) {
    linalg::dot(exec_, x.view(), x.view(), sum.data());
    return std::sqrt(to_vector(sum)[0]);
  }

  const TimeParams& time_;
  Motion<Exec>& motion_;
  const Share* share_;
  OverRanks<Exec> ranks_;
  OwnMotion<Exec> own_motion_;
  Offset first_row_;
  Index rows_;                  ///< that this rank owns
  Array<double, Space> state_;  ///< u, and behind it v
  std::function<bool()> stop_;
};

}  // namespace tessera::physics
