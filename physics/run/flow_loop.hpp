#pragma once
// A run through time of something that makes its steps itself.
#include "base/profile.hpp"
#include "physics/run/flow.hpp"
#include "physics/run/report.hpp"
#include "physics/run/walk.hpp"

namespace tessera::physics {

/// Takes a flow from the start to the end of [time]. Collective.
template <class Exec>
class FlowLoop : private Walk<Exec> {
 public:
  using typename Walk<Exec>::Space;

  FlowLoop(Exec& exec, const CommonParams& params, Flow<Exec>& flow, const Discretisation& space, Context& context)
      : Walk<Exec>(exec, space, context),
        time_(*params.time),
        flow_(flow),
        ranks_(exec, space, context.summary),
        stop_(stop_of(context)) {}

  /// `state` is the first one, or that of a checkpoint, and becomes the last. Where the run is stopped it is saved.
  TimeReport run(State& state, const StateVisitor& visitor) {
    const StopsBetweenSteps here(context_);
    const Linked linked(exec_, ranks_.link());
    report_.t = state.t;
    report_.step = state.step;
    report_.help = "choose a smaller time.cfl, and look at the state, the boundaries and the mesh near that place";
    if (state.step > 0) flow_.restore(state.kept.numbers);
    report_.failure = flow_.start(ranks_, state.t, state.u, state.step == 0);
    report_.stable_step = flow_.longest_step();
    take(state);
    if (report_.failure.empty()) {
      if (state.step == 0 && visitor.samples(0)) sample(state, visitor, flow_.rows());
      if (begins(state, visitor)) visitor.visit(state, true);
    }
    while (state.t < time_.end && report_.failure.empty()) {
      report_.interrupted = stop_ && stop_();
      if (report_.interrupted) break;
      step(state, visitor);
    }
    take(state);
    if (report_.interrupted && state.step > 0) save(state, visitor);
    give_samples(visitor);
    report_.finished = state.t >= time_.end && report_.failure.empty() && !report_.interrupted;
    report_.evaluations = flow_.evaluations();
    report_.has_values = is_finite(state);
    return report_;
  }

 private:
  using Walk<Exec>::exec_, Walk<Exec>::context_, Walk<Exec>::report_;
  using Walk<Exec>::begins, Walk<Exec>::sample, Walk<Exec>::look, Walk<Exec>::count, Walk<Exec>::give_samples,
      Walk<Exec>::save, Walk<Exec>::is_finite;

  void take(State& state) {
    state.u = flow_.u();
    state.kept.numbers = flow_.kept();
  }

  void step(State& state, const StateVisitor& visitor) {
    typename Flow<Exec>::Step done;
    const double left = time_.end - state.t;
    {
      Scope scope(waits_itself_, "steps");
      done = flow_.step(state.t, time_.step ? std::min(*time_.step, left) : left);
    }
    report_.rejected += done.rejected;
    report_.failure = done.failure;
    if (!done.failure.empty()) return;
    const double before = state.t;
    state.t = done.dt >= left ? time_.end : before + done.dt;
    ++state.step;
    const bool last = state.t >= time_.end;
    count(state, done.dt, (state.t - time_.start) / (time_.end - time_.start), fmt::format("dt {:.3g}", done.dt));
    if (visitor.samples(state.step)) sample(state, visitor, flow_.rows());
    look(
        state, visitor, before, last, [&] { take(state); }, [] {});
  }

  /// A step waits for what it has found. What a flow has queued behind it goes on meanwhile.
  struct WaitsItself {
    void synchronize() const {}
  } waits_itself_;

  const TimeParams& time_;
  Flow<Exec>& flow_;
  OverRanks<Exec> ranks_;
  std::function<bool()> stop_;
};

}  // namespace tessera::physics
