#pragma once
// A run through time of something that accelerates: M u'' = f(t, u, u').
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/profile.hpp"
#include "linalg/vector_ops.hpp"
#include "physics/run/in_common.hpp"
#include "physics/run/motion_steps.hpp"
#include "physics/run/over_ranks.hpp"
#include "physics/run/report.hpp"
#include "physics/run/steps.hpp"
#include "physics/run/walk.hpp"
#include "physics/time_scheme.hpp"
#include "solvers/time/advance.hpp"

namespace tessera::physics {

/// Takes u and v from the start to the end of [time] by the leapfrog, or by a Runge-Kutta scheme for both. All
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
        own_motion_(exec, motion, ranks_, space),
        rows_(ranks_.rows()),
        stop_(stop_of(context)) {}

  /// `state` is the first one, or that of a checkpoint, and becomes the last. Where the run is stopped it is saved.
  TimeReport run(State& state, const StateVisitor& visitor) {
    const StopsBetweenSteps here(context_);
    const Linked linked(exec_, ranks_.link());
    report_.t = state.t;
    report_.step = state.step;
    const double step = length_of_steps(exec_, time_, motion_, own_motion_, ranks_, share_, &report_.stable_step);
    if (time_.scheme == "newmark")
      run_leapfrog(state, visitor, step);
    else
      run_runge_kutta(state, visitor, step);
    give_samples(visitor);
    report_.help = "choose a shorter step or a smaller cfl";
    return report_;
  }

 private:
  using Walk<Exec>::exec_, Walk<Exec>::context_, Walk<Exec>::report_;
  using Walk<Exec>::begins, Walk<Exec>::sample, Walk<Exec>::look, Walk<Exec>::count, Walk<Exec>::seen, Walk<Exec>::own,
      Walk<Exec>::looks_at_rates, Walk<Exec>::looks_at_accelerations, Walk<Exec>::next_sample, Walk<Exec>::give_samples,
      Walk<Exec>::save, Walk<Exec>::weights, Walk<Exec>::rate_weights, Walk<Exec>::acceleration_weights,
      Walk<Exec>::is_finite, Walk<Exec>::are_finite;
  using Vector = typename Leapfrog<Exec>::Vector;

  // Steps of the leapfrog.

  /// The state at a step, and the steps on both sides of it.
  struct Now {
    double before, next;
    bool last;

    double part() const { return before / (before + next); }  ///< of the velocity after it in that at it
    double between() const { return (before + next) / 2; }    ///< from the velocity before it to that after it
  };

  void run_leapfrog(State& state, const StateVisitor& visitor, double step) {
    const Steps steps(time_.start, time_.end, step);
    const std::unique_ptr<Leapfrog<Exec>> leapfrog = motion_.leapfrog(ranks_);
    bool looked_at = state.step > 0;
    if (looked_at)
      restore(*leapfrog, state);
    else
      start(*leapfrog, state, steps.length(0));
    for (;; looked_at = false) {
      Now now{steps.length(std::max<Offset>(state.step - 1, 0)), steps.length(state.step), state.step == steps.count()};
      if (now.last) now.next = now.before;
      bool samples_rates = false;
      if (!looked_at) {
        report_.interrupted = !now.last && state.step > 0 && stop_ && stop_();
        samples_rates = look_at(*leapfrog, state, visitor, now);
        if (report_.interrupted || !report_.failure.empty()) break;
      }
      if (now.last) break;
      if (!running_) running_.emplace(exec_, "steps");  // of all steps between two looks: none waits for the device
      leapfrog->step(state.t, now.before, now.next);
      if (samples_rates) {
        add_rates(*leapfrog, Vector::v, now.part());
        add_accelerations(*leapfrog, Vector::v, 1 / now.between());
      }
      ++state.step;
      state.t = steps.time(state.step);
      ++report_.evaluations;
      count(state, now.next, static_cast<double>(state.step) / static_cast<double>(steps.count()),
            fmt::format("dt {:.3g}", now.next));
    }
    running_.reset();
    report_.finished = state.step == steps.count() && report_.failure.empty() && !report_.interrupted;
  }

  void restore(Leapfrog<Exec>& leapfrog, const State& state) {
    leapfrog.restore(state.u, own(state.kept.vectors.at(0)));
    leapfrog.restore_others({state.kept.vectors.begin() + 1, state.kept.vectors.end()});
    leapfrog.restore_of_cells(state.kept.of_cells);
  }
  typename State::Kept kept_of(const Leapfrog<Exec>& leapfrog) const {
    typename State::Kept kept{{seen(leapfrog.v())}, {}, {}};
    for (const std::vector<double>& other : leapfrog.others()) kept.vectors.push_back(other);
    kept.of_cells = leapfrog.of_cells();
    return kept;
  }

  void start(Leapfrog<Exec>& leapfrog, State& state, double dt) {
    Array<double, Space> u = to_space<Space>(own(state.u)), v = to_space<Space>(own(state.rate));
    motion_.prescribe(state.t, u.view(), v.view());
    state.u = seen(to_vector(u));
    state.rate = seen(to_vector(v));
    leapfrog.start(state.t, dt, state.u, own(state.rate));
    ++report_.evaluations;
  }

  /// Shows the state to the visitor. Whether its rates at points lack what the next step makes of v: the rate at t is
  /// between the velocities before and after it.
  bool look_at(Leapfrog<Exec>& leapfrog, State& state, const StateVisitor& visitor, const Now& now) {
    const bool first = state.step == 0, samples = visitor.samples(state.step);
    const bool shown =
        first ? begins(state, visitor) : visitor.shows(state.step, state.t - now.before, state.t, now.last);
    const bool saved = !first && !now.last && visitor.saves(state.step);
    const bool accelerations = looks_at_accelerations(visitor);
    const bool sampled_rates = samples && (looks_at_rates(visitor) || accelerations);
    const bool ahead = shown || saved || now.last || report_.interrupted || (first && sampled_rates);
    if (!is_finite(leapfrog, state, now.last, ahead)) return false;
    if (ahead) {
      running_.reset();
      take_ahead(leapfrog, state, now);
      if (!are_finite(state.u) || !are_finite(state.rate)) {  // found here, before it is shown or saved
        say_not_finite(state.t, state.step);
        return false;
      }
    }
    if (samples) {
      next_values_ = next_sample(state, visitor);
      linalg::fill(exec_, next_values_, 0.0);
      leapfrog.add_sums(weights(), Vector::u, 1, next_values_);
      if (sampled_rates) add_rates(leapfrog, Vector::v, 1 - now.part());
      if (sampled_rates) add_accelerations(leapfrog, Vector::v, -1 / now.between());
      if (sampled_rates && ahead) add_rates(leapfrog, Vector::next_v, now.part());
      if (sampled_rates && ahead) add_accelerations(leapfrog, Vector::next_v, 1 / now.between());
    }
    leapfrog.forget_ahead();
    if (shown) visitor.visit(state, false);
    if (saved || report_.interrupted) {
      state.kept = kept_of(leapfrog);
      save(state, visitor);
    }
    return sampled_rates && !ahead;
  }

  /// The state on the host. At the beginning it is there, but for what a model keeps beside it when it is asked for u
  /// and rates.
  void take_ahead(Leapfrog<Exec>& leapfrog, State& state, const Now& now) {
    leapfrog.look_ahead(state.t, now.before, now.next);
    ++report_.evaluations;
    std::vector<double> u = leapfrog.u(), rate = seen(leapfrog.rate(now.before, now.next));
    if (state.step == 0) return;
    state.u = std::move(u);
    state.rate = std::move(rate);
  }
  void add_rates(Leapfrog<Exec>& leapfrog, Vector of, double factor) {
    if (rate_weights().rows > 0) leapfrog.add_sums(rate_weights(), of, factor, next_values_);
  }
  void add_accelerations(Leapfrog<Exec>& leapfrog, Vector of, double factor) {
    if (acceleration_weights().rows > 0) leapfrog.add_sums(acceleration_weights(), of, factor, next_values_);
  }

  /// Asked every few steps, and looked at one step later where nobody `waits` for the state, so that the device has
  /// work meanwhile.
  bool is_finite(Leapfrog<Exec>& leapfrog, const State& state, bool last, bool waits) {
    constexpr Offset steps_between = 10;
    if (asked_ && !is_finite_where_asked(leapfrog)) return false;
    if (state.step % steps_between != 0 && !last) return true;
    leapfrog.ask_square();
    asked_ = {state.t, state.step};
    return !waits || is_finite_where_asked(leapfrog);
  }
  bool is_finite_where_asked(Leapfrog<Exec>& leapfrog) {
    const auto [t, step] = *std::exchange(asked_, std::nullopt);
    if (std::isfinite(leapfrog.square())) return true;
    say_not_finite(t, step);
    return false;
  }
  void say_not_finite(double t, Offset step) {
    report_.failure = fmt::format("the solution is not finite at t = {:g}, step {}", t, step);
    report_.has_values = report_.interrupted = false;
  }

  // Steps of Runge and Kutta.

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
    sample(state, visitor, own_motion_.seen_u(u()),
           looks_at_rates(visitor) ? own_motion_.seen_v(v()) : View<const double>());
  }

  void run_runge_kutta(State& state, const StateVisitor& visitor, double step) {
    state_ = Array<double, Space>(Offset{2} * rows_);
    if (state.step > 0) state.rate = state.kept.vectors.at(0);
    put(u(), own(state.u));
    put(v(), own(state.rate));
    motion_.prescribe(state.t, u(), v());
    take(state);
    if (state.step == 0 && visitor.samples(0)) sample_all(state, visitor);
    if (begins(state, visitor)) visitor.visit(state, false);
    const auto stepper = solvers::make_stepper(exec_, 2 * rows_, stepper_params(time_));
    const auto keep = [&] { state.kept = {{state.rate}, {}}; };
    const auto take_state = [&] { take(state); };
    const auto accepted = [&](Offset, double t, double dt) {
      const double before = state.t;
      ++state.step;
      state.t = t;
      if (motion_.prescribes()) {
        motion_.prescribe(t, u(), v());
        stepper->forget();
      }
      count(state, dt, (t - time_.start) / (time_.end - time_.start), fmt::format("dt {:.3g}", dt));
      if (visitor.samples(state.step)) sample_all(state, visitor);
      look(state, visitor, before, t == time_.end, take_state, keep);
    };
    solvers::TimeReport done;
    {
      Scope scope(exec_, "steps");
      done = solvers::advance(exec_, *stepper, own_motion_, time_.start, time_.end, step, state_.view(),
                              {accepted, stop_}, state.step);
    }
    take(state);
    if (done.interrupted && state.step > 0) {
      keep();
      save(state, visitor);
    }
    report_.finished = done.finished;
    report_.interrupted = done.interrupted;
    report_.evaluations = done.evaluations;
    report_.failure = done.failure;
  }

  const TimeParams& time_;
  Motion<Exec>& motion_;
  const Share* share_;
  OverRanks<Exec> ranks_;
  OwnMotion<Exec> own_motion_;
  Index rows_;                  ///< that this rank owns
  Array<double, Space> state_;  ///< of Runge and Kutta: u, and behind it v
  View<double> next_values_;    ///< of the points at this step
  std::optional<Scope<Exec>> running_;
  std::optional<std::pair<double, Offset>> asked_;  ///< time and step where the leapfrog was asked for its square
  std::function<bool()> stop_;
};

}  // namespace tessera::physics
