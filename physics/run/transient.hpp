#pragma once
// A run through time, for any model that has an Evolution.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "physics/run/explicit_rates.hpp"
#include "physics/run/implicit_stages.hpp"
#include "physics/run/steps.hpp"
#include "physics/run/time_report.hpp"
#include "physics/time_scheme.hpp"
#include "solvers/time/advance.hpp"
#include "solvers/time/stability.hpp"

namespace tessera::physics {

/// A state on the host, of all that a rank sees: u and du/dt [rows].
struct State {
  double t = 0;
  Offset step = 0;
  std::vector<double> u, rate;
};

/// Who looks at the states of a run. Collective where ranks share it.
struct StateVisitor {
  /// Whether the state after this step, which went from t_before to t, is looked at; `last`: it is the last one.
  std::function<bool(Offset step, double t_before, double t, bool last)> shows;
  std::function<void(const State&)> visit;
};

/// Takes a state from the start to the end of [time] by the scheme of the deck. Collective.
template <class Exec>
class TimeLoop {
 public:
  using Space = typename Exec::Space;

  TimeLoop(Exec& exec, Model& model, Evolution<Exec>& evolution, const Discretisation& space, Context& context,
           const State& start)
      : exec_(exec),
        params_(model.params()),
        time_(*params_.time),
        context_(context),
        problem_(exec, model, evolution, space, context, start.t),
        stop_(stop_of(context)) {}

  /// `state` is the first one and becomes the last.
  TimeReport run(State& state, const StateVisitor& visitor) {
    const DirichletData& prescribed = problem_.prescribed();
    for (std::size_t i = 0; i < prescribed.dofs.size(); ++i)
      state.u[static_cast<std::size_t>(prescribed.dofs[i])] = prescribed.values[i];
    report_.t = state.t;
    if (is_implicit(time_))
      run_implicit(state, visitor);
    else
      run_explicit(state, visitor);
    return report_;
  }

  Offset nnz() const { return nnz_; }

 private:
  void show(const State& state, const StateVisitor& visitor, double t_before, bool last) {
    if (visitor.shows(state.step, t_before, state.t, last)) visitor.visit(state);
  }

  void run_implicit(State& state, const StateVisitor& visitor) {
    const Steps steps(time_.start, time_.end, *time_.step);
    ImplicitStages<Exec> stages(exec_, problem_, params_, context_);
    solvers::ImplicitStepper<Exec> stepper(exec_, {time_.scheme, time_.theta}, problem_.space().rows());
    Array<double, Space> u = to_space<Space>(state.u);
    const auto take = [&] {
      state.u = to_vector(u);
      state.rate = to_vector(stepper.rate());
    };
    show(state, visitor, state.t, false);
    while (state.step < steps.count() && report_.failure.empty()) {
      if (stop_ && stop_()) report_.interrupted = true;
      if (report_.interrupted) break;
      const double before = state.t, end = steps.time(state.step + 1), dt = steps.length(state.step);
      if (!stepper.step(stages, before, dt, end, u.view())) {
        say_unsolved(stages.report(), state);
        break;
      }
      ++state.step;
      state.t = end;
      const bool last = state.step == steps.count();
      count(dt, end, last ? 1 : static_cast<double>(state.step) / static_cast<double>(steps.count()),
            fmt::format("{} iterations", stages.report().iterations));
      if (!is_finite(u, state, last)) break;
      if (!visitor.shows(state.step, before, end, last)) continue;
      take();
      visitor.visit(state);
    }
    take();
    report_.finished = state.step == steps.count() && report_.failure.empty() && !report_.interrupted;
    report_.linear = stages.report();
    report_.systems = stages.systems();
    report_.iterations = stages.iterations();
    report_.matrices = stages.matrices();
    nnz_ = stages.nnz();
  }

  void run_explicit(State& state, const StateVisitor& visitor) {
    ExplicitRates<Exec> rates(exec_, problem_, params_, context_);
    const OverRanks<Exec>& ranks = problem_.ranks();
    const Index rows = ranks.rows();
    Array<double, Space> u = to_space<Space>(std::span<const double>(state.u).first(static_cast<std::size_t>(rows)));
    Array<double, Space> rate(rows);
    solvers::StepperParams params = stepper_params(time_);
    params.first_row = ranks ? problem_.space().first_row() : 0;
    const Linked linked(exec_, ranks.link());
    const auto stepper = solvers::make_stepper(exec_, rows, params);
    if (!time_.tolerance) check_stable(rates, params);
    const auto take = [&] {
      rates.evaluate(state.t, u.view(), rate.view());
      state.u = seen(u);
      state.rate = seen(rate);
    };
    show(state, visitor, state.t, false);
    const auto accepted = [&](Offset, double t, double dt) {
      const double before = state.t;
      ++state.step;
      state.t = t;
      if (problem_.varying().prescribed) {
        rates.prescribe(t, u.view());
        stepper->forget();
      }
      const bool last = t == time_.end;
      count(dt, t, (t - time_.start) / (time_.end - time_.start), fmt::format("dt {:.3g}", dt));
      if (!visitor.shows(state.step, before, t, last)) return;
      take();
      visitor.visit(state);
    };
    const solvers::StepMonitor monitor{accepted, stop_};
    solvers::TimeReport done;
    {
      Scope scope(exec_, "steps");
      if (time_.tolerance) {
        solvers::StepControl control{.tolerance = step_tolerance(time_), .dt = time_.step.value_or(0)};
        done = solvers::advance(exec_, *stepper, rates, state.t, time_.end, control, u.view(), monitor);
      } else {
        done = solvers::advance(exec_, *stepper, rates, state.t, time_.end, *time_.step, u.view(), monitor);
      }
    }
    take();
    report_.finished = done.finished;
    report_.interrupted = done.interrupted;
    report_.rejected = done.rejected;
    report_.evaluations = done.evaluations;
    report_.failure = done.failure;
    report_.help = "choose an implicit scheme, shorter steps, or a smaller tolerance";
    nnz_ = rates.nnz();
  }

  /// Of all rows that this rank sees, from its own.
  std::vector<double> seen(const Array<double, Space>& own) const {
    std::vector<double> all = to_vector(own);
    if (!problem_.ranks()) return all;
    const Discretisation& space = problem_.space();
    all.resize(static_cast<std::size_t>(space.rows()));
    linalg::update_ghosts(problem_.ranks().ranks(), space.index_map, space.components, all);
    return all;
  }

  /// Throws where steps of this length grow what is fastest in the data without bound.
  void check_stable(ExplicitRates<Exec>& rates, const solvers::StepperParams& params) {
    if (solvers::find_scheme(params.scheme).kind == solvers::SchemeKind::stabilised && params.stages == 0) return;
    const double eigenvalue = rates.largest_eigenvalue(), limit = solvers::real_stability_limit(params);
    if (!(eigenvalue > 0)) return;
    const double longest = limit / eigenvalue;
    report_.stable_step = longest;
    if (*time_.step <= 1.01 * longest) return;
    throw Error(ExitCode::usage,
                fmt::format("steps of {:g} are unstable on this mesh: with {} they may be {:.3g} long ({:.3g} over the "
                            "largest eigenvalue, {:.3g})",
                            *time_.step, params.scheme, longest, limit, eigenvalue),
                "choose a shorter step, scheme = \"rkc\", whose steps may be longer, or an implicit one such as "
                "\"bdf2\"",
                time_.where);
  }

  void count(double dt, double t, double fraction, const std::string& how) {
    report_.dt_min = report_.steps == 0 ? dt : std::min(report_.dt_min, dt);
    report_.dt_max = std::max(report_.dt_max, dt);
    ++report_.steps;
    report_.t = t;
    if (context_.progress) context_.progress(fraction, fmt::format("t = {:.6g}, step {}, {}", t, report_.steps, how));
  }

  /// Looked at every few steps, for it waits for the device.
  bool is_finite(const Array<double, Space>& u, const State& state, bool last) {
    constexpr Offset steps_between = 10;
    if (state.step % steps_between != 0 && !last) return true;
    Array<double, Space> square(1);
    const Linked linked(exec_, problem_.ranks().link());
    const View<const double> own = u.view().part(0, problem_.ranks().rows());
    linalg::dot(exec_, own, own, square.data());
    if (std::isfinite(to_vector(square)[0])) return true;
    report_.failure = fmt::format("the solution is not finite at t = {:g}, step {}", state.t, state.step);
    report_.help = "look at the data near that time";
    return false;
  }

  void say_unsolved(const solvers::Report& linear, const State& state) {
    report_.interrupted = linear.interrupted;
    if (linear.interrupted) return;
    report_.failure = fmt::format(
        "the system of step {}, after t = {:g}, was not solved: {}", state.step + 1, state.t,
        !linear.failure.empty() ? linear.failure
                                : fmt::format("relative residual {:.3e} after {} iterations, asked {:.3e}",
                                              linear.relative_residual, linear.iterations, params_.solver.tolerance));
    report_.help = "raise solver.max_iterations, choose another preconditioner, or shorter steps";
  }

  Exec& exec_;
  const CommonParams& params_;
  const TimeParams& time_;
  Context& context_;
  Evolving<Exec> problem_;
  std::function<bool()> stop_;
  TimeReport report_;
  Offset nnz_ = 0;
};

}  // namespace tessera::physics
