#pragma once
// The steps of an implicit scheme: all of one length, or those that their errors choose.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "physics/run/evolving.hpp"
#include "physics/run/implicit_stages.hpp"
#include "physics/run/state.hpp"
#include "physics/run/steps.hpp"
#include "physics/time_scheme.hpp"
#include "solvers/time/implicit.hpp"
#include "solvers/time/step_control.hpp"

namespace tessera::physics {

template <class Exec>
class ImplicitSteps {
 public:
  struct Step {
    double t, dt, end;
  };
  enum class Outcome { done, taken_back, unsolved };

  /// `u_changes`: somebody else changes u between the steps.
  ImplicitSteps(Exec& exec, const TimeParams& time, const Evolving<Exec>& problem, bool u_changes)
      : exec_(exec),
        time_(time),
        problem_(problem),
        stepper_(exec, {time.scheme, time.theta, u_changes, time.tolerance.has_value()}, problem.space().rows()),
        global_rows_(problem.space().rows()) {
    if (!time.tolerance) {
      fixed_.emplace(time.start, time.end, *time.step);
      return;
    }
    const OverRanks<Exec>& ranks = problem.ranks();
    if (ranks) global_rows_ = problem.space().index_map.global_size() * problem.space().components;
    control_.tolerance = step_tolerance(time);
    control_.dt = time.step.value_or(first_part * (time.end - time.start));
    control_.most = stepper_.most_growth();
    control_.worth = 1.2;  // Hairer & Wanner II, section IV.8
  }

  bool are_over(const State& state) const { return fixed_ ? state.step == fixed_->count() : state.t == time_.end; }
  Step next(const State& state) const {
    if (fixed_) return {state.t, fixed_->length(state.step), fixed_->time(state.step + 1)};
    const double dt = solvers::detail::fitted(state.t, time_.end, control_.dt);
    return {state.t, dt, dt == time_.end - state.t ? time_.end : state.t + dt};
  }
  /// From this state on, if they are of the length of the next one.
  double to_come(const State& state) const {
    if (fixed_) return static_cast<double>(fixed_->count() - state.step);
    return std::max(1.0, (time_.end - state.t) / control_.dt);
  }
  /// Of the whole run.
  double part_done(const State& state) const {
    if (fixed_) return static_cast<double>(state.step) / static_cast<double>(fixed_->count());
    return (state.t - time_.start) / (time_.end - time_.start);
  }

  /// From u [rows] to u, unless it is taken back; then the next one is shorter.
  Outcome take(Stages<Exec>& stages, const Step& step, View<double> u) {
    if (fixed_) return stepper_.step(stages, step.t, step.dt, step.end, u) ? Outcome::done : Outcome::unsolved;
    const double wanted = control_.dt;
    error_ = std::numeric_limits<double>::quiet_NaN();  // of a step whose equations have no solution
    const bool solved = stepper_.attempt(stages, step.t, step.dt, step.end, u);
    if (!solved && stages.work().linear.interrupted) return Outcome::unsolved;
    if (solved) {
      const Linked linked(exec_, problem_.ranks().link());
      error_ = stepper_.error(control_.tolerance, u, problem_.ranks().rows(), global_rows_);
    }
    if (control_.decide(error_, step.dt, stepper_.error_order())) {
      // A step that was cut to meet the end says nothing against a longer one.
      if (step.dt < wanted) control_.dt = std::max(control_.dt, wanted);
      stepper_.accept(u);
      return Outcome::done;
    }
    if (solved) stepper_.reject();
    const bool too_short = control_.dt <= solvers::detail::shortest_step(step.t, time_.end);
    if (!solved && too_short) return Outcome::unsolved;
    if (too_short)
      failure_ = fmt::format(
          "steps after t = {:g} have fallen to {:.3g}, below the last digits of t, for the tolerance (the last error "
          "was {:.3g} times as large): the solution may have a singularity there",
          step.t, control_.dt, error_);
    return Outcome::taken_back;
  }
  /// Empty, or why no step is short enough.
  const std::string& failure() const { return failure_; }

  const Array<double, typename Exec::Space>& rate() const { return stepper_.rate(); }
  State::Kept kept() const {
    const auto kept = stepper_.kept();
    State::Kept result{kept.vectors, kept.numbers};
    if (!fixed_)
      result.numbers.insert(result.numbers.end(),
                            {control_.dt, control_.last_error, control_.was_rejected ? 1.0 : 0.0});
    return result;
  }
  void restore(const State::Kept& kept) {
    std::vector<double> numbers = kept.numbers;
    if (!fixed_) {
      const std::size_t own = numbers.size() - 3;
      control_.dt = numbers.at(own);
      control_.last_error = numbers.at(own + 1);
      control_.was_rejected = numbers.at(own + 2) != 0;
      numbers.resize(own);
    }
    stepper_.restore({kept.vectors, numbers});
  }

 private:
  /// Of the run, where the deck has no first step: its error is known after it, and it grows fast.
  static constexpr double first_part = 1e-5;

  Exec& exec_;
  const TimeParams& time_;
  const Evolving<Exec>& problem_;
  solvers::ImplicitStepper<Exec> stepper_;
  std::optional<Steps> fixed_;
  solvers::StepControl control_;
  Offset global_rows_;
  double error_ = 0;
  std::string failure_;
};

}  // namespace tessera::physics
