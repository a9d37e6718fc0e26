#pragma once
// A run through time: M u' = b - A u by an implicit scheme, for any model that has an Evolution.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "assembly/space/dirichlet.hpp"
#include "base/log.hpp"
#include "physics/run/evolution.hpp"
#include "physics/run/over_ranks.hpp"
#include "physics/run/rank_run.hpp"
#include "physics/run/steps.hpp"
#include "physics/run/time_report.hpp"
#include "solvers/time/implicit.hpp"

namespace tessera::physics {

/// A state on the host, of all that a rank sees: u and du/dt [rows].
struct State {
  double t = 0;
  Offset step = 0;
  std::vector<double> u, rate;
};

/// Takes a state from the start to the end of [time]. Systems have the matrix sigma M + A, which is made anew where
/// sigma, M or A change; prescribed values are taken to the right-hand side by the columns that it has lost. Over ranks
/// vectors have the ghosts of the space behind the rows that a rank owns.
template <class Exec>
class TimeLoop final : solvers::StageEquation<Exec> {
 public:
  using Space = typename Exec::Space;
  /// Collective, as `run` is.
  TimeLoop(Exec& exec, Model& model, Evolution<Exec>& evolution, const Discretisation& space, Context& context)
      : exec_(exec),
        model_(model),
        evolution_(evolution),
        params_(model.params()),
        space_(space),
        context_(context),
        varying_(model.varying()),
        ranks_(exec, space, context.summary),
        stepper_(exec, {params_.time->scheme, params_.time->theta}, space.rows()) {}

  /// `state` is the first one and becomes the last. `visit` is called with it and with each after a step that `shows`
  /// says is looked at.
  TimeReport run(State& state, const std::function<bool(Offset step, double t)>& shows,
                 const std::function<void(const State&)>& visit) {
    const TimeParams& time = *params_.time;
    TimeReport report;
    const Steps steps(time.start, time.end, *time.step);
    Array<double, Space> u = to_space<Space>(state.u);
    report.t = state.t;
    prepare(state);
    if (shows(state.step, state.t)) visit(state);
    const auto stop = stop_of(context_);
    while (state.step < steps.count()) {
      if (stop && stop()) {
        report.interrupted = true;
        break;
      }
      const double end = steps.time(state.step + 1), dt = steps.length(state.step);
      if (!stepper_.step(*this, state.t, dt, end, u.view())) break;
      report.dt_min = report.steps_done == 0 ? dt : std::min(report.dt_min, dt);
      report.dt_max = std::max(report.dt_max, dt);
      ++report.steps_done;
      report.t = state.t = end;
      ++state.step;
      const bool last = state.step == steps.count();
      if (!check(u, state, last, report)) break;
      say(state, steps);
      if (!shows(state.step, state.t)) continue;
      take(u, state);
      visit(state);
    }
    take(u, state);
    complete(state, steps, report);
    return report;
  }

  Offset nnz() const { return nnz_; }

 private:
  /// Work of this rank alone; where it throws on one, all throw.
  template <class Work>
  void alone(Work work) {
    if (ranks_)
      on_each_rank(ranks_.ranks(), work);
    else
      work();
  }

  /// Matrices and loads of the first time, and what is prescribed there.
  void prepare(State& state) {
    mass_ = evolution_.make_matrix();
    stiffness_ = evolution_.make_matrix();
    system_.matrix = evolution_.make_matrix();
    system_.b = Array<double, Space>(space_.rows());
    loads_ = Array<double, Space>(space_.rows());
    alone([&] {
      prescribed_ = model_.move_to(state.t);
      evolution_.fill(state.t, mass_, stiffness_, loads_.view());
    });
    if (ranks_) prescribed_ = completed(space_, std::move(prescribed_));
    filled_ = state.t;
    set_prescribed(state);
  }

  void set_prescribed(State& state) const {
    for (std::size_t i = 0; i < prescribed_.dofs.size(); ++i)
      state.u[static_cast<std::size_t>(prescribed_.dofs[i])] = prescribed_.values[i];
  }

  /// Data, matrices and loads of time t.
  void move_to(double t) {
    if (t == filled_) return;
    filled_ = t;
    const bool matrix = varying_.mass || varying_.stiffness;
    if (!matrix && !varying_.loads && !varying_.prescribed) return;
    alone([&] {
      prescribed_ = model_.move_to(t);
      if (matrix)
        evolution_.fill(t, mass_, stiffness_, loads_.view());
      else if (varying_.loads)
        evolution_.fill_loads(t, stiffness_, loads_.view());
    });
    if (matrix) sigma_ = 0;
    if (varying_.prescribed && ranks_) prescribed_ = completed(space_, std::move(prescribed_));
  }

  /// S = sigma M + A, without the rows and columns of prescribed dofs.
  void make_matrix(double sigma) {
    {
      Scope scope(exec_, "assemble");
      linalg::combine(exec_, system_.matrix.values.view(), {}, {{1.0}, stiffness_.values.view()},
                      {{sigma}, mass_.values.view()});
      removed_ = assembly::remove_columns(exec_, system_.matrix, prescribed_.dofs);
    }
    if (ranks_)
      ranks_.take(params_, system_, own_, context_.summary);
    else
      convert(exec_, params_, system_, context_.summary);
    if (!solver_) solver_ = std::make_unique<solvers::LinearSolver<Exec>>(exec_, params_.solver);
    solver_->set_operator(ranks_ ? *own_.A : *system_.A);
    const DirichletData own = of_owned_rows(prescribed_, ranks_.rows());
    fixed_ = to_space<Space>(own.dofs);
    nnz_ = ranks_ ? own_.nnz : system_.matrix.nnz();
    sigma_ = sigma;
    ++matrices_;
  }

  bool solve(double t, double sigma, View<const double> w, View<double> U) override {
    move_to(t);
    const Linked linked(exec_, ranks_.link());
    if (sigma != sigma_) make_matrix(sigma);
    const Index rows = ranks_.rows();
    Scope scope(exec_, "solve");
    // b + M w, and what prescribed values add
    linalg::spmv(exec_, std::as_const(mass_).view(), w, system_.b.view());
    linalg::combine(exec_, system_.b.view(), {1.0}, {{1.0}, loads_.view()});
    assembly::prescribe(exec_, removed_, prescribed_.values, system_.b.view());
    const DirichletData own = of_owned_rows(prescribed_, rows);
    const auto values = to_space<Space>(own.values);
    linear_ = solver_->solve(std::as_const(system_.b).view().part(0, rows), U.part(0, rows), monitor_of_step(),
                             {fixed_.view(), values.view(), true});
    ++systems_;
    iterations_ += linear_.iterations;
    if (ranks_) ranks_.update_ghosts(U);
    return linear_.converged;
  }

  /// Steps say how far a run is, not iterations.
  solvers::Monitor monitor_of_step() const { return {.progress = {}, .stop = stop_of(context_)}; }

  /// False where the state is no number any more. Looked at every few steps, for it waits for the device.
  bool check(const Array<double, Space>& u, const State& state, bool last, TimeReport& report) {
    constexpr Offset steps_between = 10;
    if (state.step % steps_between != 0 && !last) return true;
    Array<double, Space> square(1);
    const Linked linked(exec_, ranks_.link());
    const View<const double> own = u.view().part(0, ranks_.rows());
    linalg::dot(exec_, own, own, square.data());
    if (std::isfinite(to_vector(square)[0])) return true;
    report.failure = fmt::format("the solution is not finite at t = {:g}, step {}", state.t, state.step);
    report.help = "look at the data near that time";
    return false;
  }

  void say(const State& state, const Steps& steps) const {
    if (!context_.progress) return;
    context_.progress(static_cast<double>(state.step) / static_cast<double>(steps.count()),
                      fmt::format("t = {:.6g}, step {} of {}, {} iterations", state.t, state.step, steps.count(),
                                  linear_.iterations));
  }

  void take(const Array<double, Space>& u, State& state) const {
    state.u = to_vector(u);
    state.rate = to_vector(stepper_.rate());
  }

  void complete(const State& state, const Steps& steps, TimeReport& report) const {
    report.linear = linear_;
    report.iterations = iterations_;
    report.systems = systems_;
    report.matrices = matrices_;
    report.interrupted |= linear_.interrupted;
    report.finished = state.step == steps.count() && report.failure.empty() && !report.interrupted;
    if (report.finished || report.interrupted || !report.failure.empty()) return;
    report.failure =
        fmt::format("the system of step {}, after t = {:g}, was not solved: {}", state.step + 1, state.t,
                    !linear_.failure.empty()
                        ? linear_.failure
                        : fmt::format("relative residual {:.3e} after {} iterations, asked {:.3e}",
                                      linear_.relative_residual, linear_.iterations, params_.solver.tolerance));
    report.help = "raise solver.max_iterations, choose another preconditioner, or shorter steps";
  }

  Exec& exec_;
  Model& model_;
  Evolution<Exec>& evolution_;
  const CommonParams& params_;
  const Discretisation& space_;
  Context& context_;
  const Varying varying_;
  DirichletData prescribed_;  ///< of the time that data were moved to
  OverRanks<Exec> ranks_;
  solvers::ImplicitStepper<Exec> stepper_;
  linalg::Crs<Space> mass_, stiffness_;
  Array<double, Space> loads_;
  System<Exec> system_, own_;  ///< of all rows that are seen, and over ranks of those that this one owns
  assembly::RemovedColumns<Space> removed_;
  Array<Index, Space> fixed_;  ///< own rows
  std::unique_ptr<solvers::LinearSolver<Exec>> solver_;
  solvers::Report linear_;
  double sigma_ = 0;   ///< of the matrix; 0: there is none
  double filled_ = 0;  ///< the time of data, matrices and loads
  Offset nnz_ = 0, iterations_ = 0, systems_ = 0, matrices_ = 0;
};

}  // namespace tessera::physics
