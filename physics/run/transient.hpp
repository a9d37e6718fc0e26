#pragma once
// A run through time, for any model that has an Evolution.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "base/counted.hpp"
#include "physics/run/explicit_rates.hpp"
#include "physics/run/growth.hpp"
#include "physics/run/implicit_steps.hpp"
#include "physics/run/nonlinear_stages.hpp"
#include "physics/run/splitting.hpp"
#include "physics/run/walk.hpp"
#include "physics/step_count.hpp"
#include "physics/time_scheme.hpp"
#include "solvers/time/advance.hpp"
#include "solvers/time/stability.hpp"

namespace tessera::physics {

/// Takes a state from the start to the end of [time] by the scheme of the deck. Collective.
template <class Exec>
class TimeLoop : private Walk<Exec> {
 public:
  using typename Walk<Exec>::Space;

  /// `nodes`: what they do by themselves, in steps that are split; without `steps`: nothing.
  TimeLoop(Exec& exec, Model& model, const Equations<Exec>& equations, const Discretisation& space, Context& context,
           const State& start, NodeSystems<Exec> nodes = {})
      : Walk<Exec>(exec, space, context),
        params_(model.params()),
        time_(*params_.time),
        problem_(exec, model, equations, space, start.t, start.u),
        stop_(stop_of(context)) {
    if (nodes.steps) split_.emplace(exec, std::move(nodes), problem_);
  }

  /// `state` is the first one, or that of a checkpoint, and becomes the last. Where the run is stopped it is saved.
  TimeReport run(State& state, const StateVisitor& visitor) {
    const StopsBetweenSteps here(context_);
    const DirichletData& prescribed = problem_.prescribed();
    for (std::size_t i = 0; i < prescribed.dofs.size(); ++i)
      state.u[static_cast<std::size_t>(prescribed.dofs[i])] = prescribed.values[i];
    report_.t = state.t;
    report_.step = state.step;
    // A first state without values is the deck's fault; later ones end a run that has results.
    if (state.step == 0 && problem_.nonlinear()) problem_.ranks().each([&] { problem_.move_to_state(state.u); });
    if (state.step == 0 && visitor.samples(0)) sample(state, visitor, to_space<Space>(state.u));
    if (is_implicit(time_))
      run_implicit(state, visitor);
    else
      run_explicit(state, visitor);
    give_samples(visitor);
    if (split_) report_.split = split_->report();
    report_.has_values = is_finite(state);
    return report_;
  }

  Offset nnz() const { return nnz_; }

 private:
  using Outcome = typename ImplicitSteps<Exec>::Outcome;
  using Walk<Exec>::exec_, Walk<Exec>::context_, Walk<Exec>::report_;
  using Walk<Exec>::begins, Walk<Exec>::sample, Walk<Exec>::look, Walk<Exec>::count, Walk<Exec>::seen, Walk<Exec>::own,
      Walk<Exec>::is_finite, Walk<Exec>::give_samples, Walk<Exec>::save, Walk<Exec>::bring, Walk<Exec>::bring_seen;

  void run_implicit(State& state, const StateVisitor& visitor) {
    const std::unique_ptr<Stages<Exec>> stages = make_stages();
    const typename Stages<Exec>::Work& work = stages->work();
    ImplicitSteps<Exec> steps(exec_, time_, problem_, split_.has_value());
    if (state.step > 0) {
      restore_split(state);
      restore_stages(*stages, steps, state);
      steps.restore(state.kept);
    }
    Array<double, Space> u = to_space<Space>(state.u);
    if (begins(state, visitor)) visitor.visit(state, true);
    const auto take = [&](bool with_rate) {
      bring(u, state.u);
      state.rate.clear();
      if (with_rate) bring(steps.rate(), state.rate);
    };
    const auto take_shown = [&] { take(visitor.looks_at_rates()); };
    const auto keep = [&] {
      state.kept = steps.kept();
      const State::Kept of_stages = stages->kept();
      state.kept.vectors.insert(state.kept.vectors.end(), of_stages.vectors.begin(), of_stages.vectors.end());
      state.kept.numbers.insert(state.kept.numbers.end(), of_stages.numbers.begin(), of_stages.numbers.end());
      keep_split(state);
    };
    while (!steps.are_over(state) && report_.failure.empty()) {
      if (stop_ && stop_()) report_.interrupted = true;
      if (report_.interrupted) break;
      const auto [before, dt, end] = steps.next(state);
      if (split_ && !split_->before(before, dt, u.view())) break;
      stages->begin_step(state.step + 1, steps.to_come(state));
      const auto outcome = steps.take(*stages, {before, dt, end}, u.view());
      if (outcome == Outcome::unsolved) {
        if (split_) split_->take_back(u.view());
        say_unsolved(work, state);
        break;
      }
      if (outcome == Outcome::taken_back) {
        ++report_.rejected;
        report_.failure = steps.failure();
        report_.help = "look at the data near that time, or give a larger tolerance";
        continue;
      }
      if (split_ && !split_->after(before, dt, end, u.view())) break;
      ++state.step;
      state.t = end;
      const bool last = steps.are_over(state);
      count(state, dt, steps.part_done(state), counted(work.linear.iterations, "iteration"));
      if (!is_finite(u, state, last) || outgrows_steps(u, dt, state)) break;
      if (visitor.samples(state.step)) sample(state, visitor, u.view());
      look(state, visitor, before, last, take_shown, keep);
    }
    say_split_failed();
    take(true);
    problem_.move_to(state.t);  // a step that failed was ahead
    if (report_.interrupted && state.step > 0) {
      keep();
      save(state, visitor);
    }
    report_.finished = steps.are_over(state) && report_.failure.empty() && !report_.interrupted;
    report_.linear = work.linear;
    report_.systems = work.systems;
    report_.iterations = work.iterations;
    report_.matrices = work.matrices;
    report_.set_ups = work.set_ups;
    nnz_ = work.nnz;
  }

  /// What stages keep are the last ones of the vectors, and the numbers behind those of the steps: checkpoints of
  /// before preconditioners were chosen on the way have fewer.
  void restore_stages(Stages<Exec>& stages, const ImplicitSteps<Exec>& steps, State& state) const {
    const auto cut = []<class T>(std::vector<T>& all, std::size_t last) {
      const auto from = all.end() - static_cast<std::ptrdiff_t>(std::min(last, all.size()));
      std::vector<T> result(from, all.end());
      all.erase(from, all.end());
      return result;
    };
    const State::Kept like = stages.kept();
    State::Kept kept;
    kept.vectors = cut(state.kept.vectors, like.vectors.size());
    const std::size_t all = state.kept.numbers.size(), of_steps = std::min(all, steps.kept().numbers.size());
    kept.numbers = cut(state.kept.numbers, std::min(all - of_steps, like.numbers.size()));
    stages.restore(kept);
  }

  std::unique_ptr<Stages<Exec>> make_stages() {
    if (problem_.nonlinear()) return std::make_unique<NonlinearStages<Exec>>(exec_, problem_, params_, context_);
    return std::make_unique<ImplicitStages<Exec>>(exec_, problem_, params_, context_);
  }

  void run_explicit(State& state, const StateVisitor& visitor) {
    ExplicitRates<Exec> rates(exec_, problem_, params_, context_);
    const OverRanks<Exec>& ranks = problem_.ranks();
    const Index rows = ranks.rows();
    Array<double, Space> u = to_space<Space>(own(state.u));
    Array<double, Space> rate(rows);
    solvers::StepperParams params = stepper_params(time_);
    const Linked linked(exec_, ranks.link());
    auto stepper = solvers::make_stepper(exec_, rows, params);
    if (split_) stepper = std::make_unique<SplitStepper<Exec>>(exec_, rows, std::move(stepper), *split_);
    solvers::StepControl control = first_step(rates, params, *stepper, state);
    const auto take = [&](bool with_rate) {
      rates.evaluate(state.t, u.view(), rate.view());  // what the model has is that of this time from now on, too
      bring_seen(u, state.u);
      state.rate.clear();
      if (with_rate) bring_seen(rate, state.rate);
    };
    const auto take_shown = [&] { take(visitor.looks_at_rates()); };
    if (begins(state, visitor)) {
      take_shown();
      visitor.visit(state, true);
    }
    const auto keep = [&] {
      const auto kept = stepper->kept();
      state.kept.numbers = {control.dt, control.last_error, control.was_rejected ? 1.0 : 0.0};
      state.kept.numbers.insert(state.kept.numbers.end(), kept.numbers.begin(), kept.numbers.end());
      state.kept.vectors.clear();
      for (const std::vector<double>& vector : kept.vectors) state.kept.vectors.push_back(seen(vector));
      keep_split(state);
    };
    const auto accepted = [&](Offset, double t, double dt) {
      if (has_split_failed()) return;
      if (time_.tolerance) rates.forget_refused();
      const double before = state.t;
      ++state.step;
      state.t = t;
      if (problem_.varying().prescribed) {
        rates.prescribe(t, u.view());
        stepper->forget();
      }
      count(state, dt, (t - time_.start) / (time_.end - time_.start), fmt::format("dt {:.3g}", dt));
      if (visitor.samples(state.step)) sample(state, visitor, rates.seen(u.view()));
      if (!time_.tolerance && has_become_unstable(rates, params, u, state)) return;
      look(state, visitor, before, t == time_.end, take_shown, keep);
    };
    const auto fails = [&] { return has_split_failed() || !unstable_.empty(); };
    const solvers::StepMonitor monitor{accepted, [&] { return fails() || (stop_ && stop_()); }};
    solvers::TimeReport done;
    {
      Scope scope(exec_, "steps");
      done = time_.tolerance ? solvers::advance(exec_, *stepper, rates, state.t, time_.end, control, u.view(), monitor)
                             : solvers::advance(exec_, *stepper, rates, time_.start, time_.end, step_, u.view(),
                                                monitor, state.step);
    }
    take(true);
    problem_.move_to(state.t);
    if (done.interrupted && !fails() && state.step > 0) {
      keep();
      save(state, visitor);
    }
    take_report(done, rates);
  }

  /// How long the first step is: as the deck says, or as it was when the state was kept.
  solvers::StepControl first_step(ExplicitRates<Exec>& rates, const solvers::StepperParams& params,
                                  solvers::Stepper<Exec>& stepper, State& state) {
    if (state.step == 0) choose_step(rates, params, state.u);
    solvers::StepControl control{.dt = step_};
    if (time_.tolerance) control.tolerance = step_tolerance(time_);
    if (state.step > 0) {
      restore_split(state);
      restore(state, control, stepper);
      if (time_.cfl) step_ = control.dt;
    } else if (!time_.tolerance) {
      check_stable(rates, params, state.u);
    }
    return control;
  }

  void take_report(const solvers::TimeReport& done, const ExplicitRates<Exec>& rates) {
    report_.finished = done.finished;
    report_.interrupted = done.interrupted;
    report_.rejected = done.rejected;
    report_.evaluations = done.evaluations;
    report_.failure = done.failure;
    if (!done.failure.empty() && !rates.refused().empty()) report_.failure += ": " + rates.refused();
    report_.help = "choose an implicit scheme, shorter steps, or a smaller tolerance";
    if (!unstable_.empty()) {
      report_.finished = report_.interrupted = false;
      report_.failure = unstable_;
    }
    say_split_failed();
    nnz_ = rates.nnz();
  }

  bool has_split_failed() const { return split_ && !split_->failure().empty(); }
  void say_split_failed() {
    if (!has_split_failed()) return;
    report_.finished = report_.interrupted = false;
    report_.failure =
        fmt::format("the reactions of step {}, after t = {:g}: {}", report_.step + 1, report_.t, split_->failure());
    report_.help = "look at the initial values and rates, or choose shorter steps or another method";
  }
  /// What the split parts keep is the last of the vectors.
  void keep_split(State& state) const {
    if (split_) state.kept.vectors.push_back(seen(split_->kept()));
  }
  void restore_split(State& state) {
    if (!split_) return;
    split_->restore(state.kept.vectors.at(state.kept.vectors.size() - 1));
    state.kept.vectors.pop_back();
  }

  /// What `keep` of an explicit scheme has kept.
  void restore(const State& state, solvers::StepControl& control, solvers::Stepper<Exec>& stepper) const {
    const std::vector<double>& numbers = state.kept.numbers;
    control.dt = numbers.at(0);
    control.last_error = numbers.at(1);
    control.was_rejected = numbers.at(2) != 0;
    typename solvers::Stepper<Exec>::Kept kept;
    kept.numbers.assign(numbers.begin() + 3, numbers.end());
    for (const std::vector<double>& vector : state.kept.vectors) kept.vectors.push_back(own(vector));
    stepper.restore(kept);
  }

  /// The longest steps at which nothing in the data grows without bound; 0: nothing limits them.
  double stable_step(ExplicitRates<Exec>& rates, const solvers::StepperParams& params, std::span<const double> u) {
    if (solvers::find_scheme(params.scheme).kind == solvers::SchemeKind::stabilised && params.stages == 0) return 0;
    const double eigenvalue = rates.eigenvalue_bound(u);
    return eigenvalue > 0 ? report_.stable_step = solvers::real_stability_limit(params) / eigenvalue : 0;
  }

  /// That of the deck, or its part of the longest one.
  void choose_step(ExplicitRates<Exec>& rates, const solvers::StepperParams& params, std::span<const double> u) {
    if (!time_.cfl) return;
    step_ = *time_.cfl * stable_step(rates, params, u);
    if (step_ > 0 && std::isfinite(step_)) return check_chosen_step(time_, step_);
    throw Error(ExitCode::usage, "time.cfl is a part of the longest stable step, which nothing in this problem limits",
                "give a step in its place", time_.where);
  }

  /// Empty, or that steps of this length grow what is fastest in the data without bound.
  std::string instability(ExplicitRates<Exec>& rates, const solvers::StepperParams& params, std::span<const double> u) {
    const double longest = stable_step(rates, params, u);
    if (!(longest > 0) || step_ <= longest) return {};
    return fmt::format(
        "steps of {:g} are unstable on this mesh: with {} they may be {:.3g} long ({:.3g} over the largest eigenvalue)",
        step_, params.scheme, longest, solvers::real_stability_limit(params));
  }
  void check_stable(ExplicitRates<Exec>& rates, const solvers::StepperParams& params, std::span<const double> u) {
    const std::string what = instability(rates, params, u);
    if (what.empty()) return;
    throw Error(ExitCode::usage, what,
                "choose a shorter step, or cfl = 0.9 in its place, scheme = \"rkc\", whose steps may be longer, or an "
                "implicit one such as "
                "\"bdf2\"",
                time_.where);
  }

  /// Coefficients that change may leave a step too long that was not. Every few steps, where u has grown so much that
  /// it may be for this reason, the step is held against the limit again.
  bool has_become_unstable(ExplicitRates<Exec>& rates, const solvers::StepperParams& params,
                           const Array<double, Space>& u, const State& state) {
    constexpr double much = 10;
    if (state.step % steps_between_looks != 0) return false;
    linalg::dot(exec_, u.view(), u.view(), sum_.data());
    const double size = std::sqrt(to_vector(sum_)[0]), before = std::exchange(size_, size);
    if (!(before > 0) || !std::isfinite(size) || size <= much * before) return false;
    const std::string what = instability(rates, params, seen(to_vector(u)));
    if (!what.empty()) unstable_ = fmt::format("the solution grows without bound at t = {:g}: {}", state.t, what);
    return !unstable_.empty();
  }

  /// Implicit schemes follow what grows by itself, as a source that rises with u does, where it grows by less than a
  /// half or so in a step; beyond that their growth is their own. Looked at where u has grown much within some steps.
  bool outgrows_steps(const Array<double, Space>& u, double dt, const State& state) {
    constexpr double much = 10, followed = 0.5;
    if (time_.tolerance || state.step % steps_between_looks != 0) return false;
    const double before = std::exchange(size_, std::sqrt(square_));
    if (!(before > 0) || size_ <= much * before) return false;
    const double rate = growth_rate(exec_, problem_, u);
    if (!(rate * dt > followed)) return false;
    report_.failure =
        fmt::format("the solution grows by itself, at t = {:g} at a rate of {:.3g}, which steps of {:g} do not follow",
                    state.t, rate, dt);
    report_.help = fmt::format(
        "choose steps below {:.2g}, or a tolerance in their place; or look at the signs of the data", followed / rate);
    return true;
  }

  /// Looked at every few steps, for it waits for the device.
  bool is_finite(const Array<double, Space>& u, const State& state, bool last) {
    if (state.step % steps_between_looks != 0 && !last) return true;
    const Linked linked(exec_, problem_.ranks().link());
    const View<const double> own = u.view().part(0, problem_.ranks().rows());
    linalg::dot(exec_, own, own, sum_.data());
    square_ = to_vector(sum_)[0];
    if (std::isfinite(square_)) return true;
    report_.failure = fmt::format("the solution is not finite at t = {:g}, step {}", state.t, state.step);
    report_.help = "look at the data near that time";
    return false;
  }

  void say_unsolved(const typename Stages<Exec>::Work& work, const State& state) {
    const solvers::Report& linear = work.linear;
    report_.interrupted = linear.interrupted;
    if (linear.interrupted) return;
    if (!work.failure.empty()) {
      report_.failure = fmt::format("the equations of step {}, after t = {:g}, were not solved: {}", state.step + 1,
                                    state.t, work.failure);
      report_.help = work.help;
      return;
    }
    report_.failure =
        fmt::format("the system of step {}, after t = {:g}, was not solved: {}", state.step + 1, state.t,
                    !linear.failure.empty()
                        ? linear.failure
                        : fmt::format("relative residual {:.3e} after {}, asked {:.3e}", linear.relative_residual,
                                      counted(linear.iterations, "iteration"), params_.solver.tolerance));
    // A failure of the solver says what to do itself.
    report_.help = linear.failure.empty()
                       ? "raise solver.max_iterations, choose another preconditioner, or shorter steps"
                       : "or choose shorter steps";
  }

  static constexpr Offset steps_between_looks = 10;

  const CommonParams& params_;
  const TimeParams& time_;
  Evolving<Exec> problem_;
  std::optional<Splitting<Exec>> split_;
  std::function<bool()> stop_;
  double step_ = time_.step.value_or(0);  ///< of explicit schemes
  std::string unstable_;                  ///< empty, or why explicit steps have become so
  double size_ = 0, square_ = 0;          ///< of u, when it was last looked at for that
  Array<double, Space> sum_{1};
  Offset nnz_ = 0;
};

}  // namespace tessera::physics
