#pragma once
// The loops over time. They only call declared functions: advance.cpp and advance_cuda.cpp instantiate them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/link.hpp"
#include "solvers/time/advance.hpp"

namespace tessera::solvers {
namespace detail {

/// How many entries of u are not finite after each of some steps; the host looks once for all of them.
template <class Exec>
class FiniteWatch {
  using Space = typename Exec::Space;

 public:
  explicit FiniteWatch(Exec& exec) : exec_(exec), counts_(steps_between_looks) {}

  /// Where the next step puts its count.
  double* next() { return counts_.data() + taken_++; }
  bool is_full() const { return taken_ == steps_between_looks; }
  /// After so many steps: the number of the first that was not finite, of those since the last look; 0: none.
  Offset first_bad(Offset steps) {
    if (taken_ == 0) return 0;
    sum_over_ranks(exec_, {{counts_.data(), taken_}});
    copy_bytes(Space{}, counts_.data(), Host{}, host_.data(), static_cast<std::size_t>(taken_) * sizeof(double));
    const Offset first = steps - taken_ + 1;
    const int taken = std::exchange(taken_, 0);
    for (int i = 0; i < taken; ++i)
      if (host_[static_cast<std::size_t>(i)] != 0) return first + i;
    return 0;
  }

 private:
  static constexpr int steps_between_looks = std::is_same_v<Exec, Threads> ? 1 : 10;

  Exec& exec_;
  Array<double, Space> counts_;
  std::vector<double> host_ = std::vector<double>(steps_between_looks);
  int taken_ = 0;
};

inline void check_span(double t, double end) {
  if (!(end >= t) || !std::isfinite(end - t))
    throw Error(ExitCode::usage, fmt::format("cannot integrate from t = {:.6g} to t = {:.6g}", t, end),
                "the end must be finite and may not lie before the beginning");
}

inline void count_step(TimeReport& report, double t, double dt, const StepMonitor& monitor) {
  report.dt_min = report.steps == 0 ? dt : std::min(report.dt_min, dt);
  report.dt_max = std::max(report.dt_max, dt);
  report.t = t;
  ++report.steps;
  if (monitor.accepted) monitor.accepted(report.steps, t, dt);
}

inline std::string not_finite_after(Offset step, double t) {
  return fmt::format(
      "the solution is not finite after step {}, t = {:.6g}: the step is too long for an explicit scheme, or f has no "
      "value there; try shorter steps",
      step, t);
}

/// Calls step(t, dt, count of entries that are not finite) as often as it takes.
template <class Exec, class Step>
TimeReport fixed_steps(Exec& exec, double t, double end, double dt, const StepMonitor& monitor, Offset done,
                       Step&& step) {
  check_span(t, end);
  if (!(dt > 0) || !std::isfinite(dt))
    throw Error(ExitCode::usage, fmt::format("the time step is {}", dt), "it must be positive");
  TimeReport report;
  report.t = t;
  // A quotient that is an integer but for rounding is that integer.
  constexpr double rounding = 1e-9;
  const double quotient = (end - t) / dt, whole = std::round(quotient);
  const double count = std::abs(quotient - whole) <= rounding * whole ? whole : std::ceil(quotient);
  if (count > 1e15)
    throw Error(ExitCode::usage, fmt::format("{:.3g} steps of {:.3g} are too many to count", count, dt),
                "give a longer step");
  const auto steps = static_cast<Offset>(end > t ? std::max(count, 1.0) : 0);
  const auto time_of = [&](Offset i) { return i == steps ? end : t + static_cast<double>(i) * dt; };
  report.t = time_of(done);
  FiniteWatch<Exec> watch(exec);
  for (Offset i = done; i < steps; ++i) {
    report.interrupted = monitor.stop && monitor.stop();
    if (report.interrupted) break;
    const double length = i + 1 == steps ? end - time_of(i) : dt;
    step(time_of(i), length, watch.next());
    count_step(report, time_of(i + 1), length, monitor);
    if (!watch.is_full()) continue;
    if (const Offset bad = watch.first_bad(i + 1); bad > 0) {
      report.failure = not_finite_after(bad, time_of(bad));
      return report;
    }
  }
  if (const Offset bad = watch.first_bad(done + report.steps); bad > 0) {
    report.failure = not_finite_after(bad, time_of(bad));
    return report;
  }
  report.finished = !report.interrupted;
  return report;
}

template <class Exec>
bool is_finite(Exec& exec, View<const double> u) {
  FiniteWatch<Exec> watch(exec);
  count_not_finite(exec, u, watch.next());
  return watch.first_bad(1) == 0;
}

inline std::string too_short(const TimeReport& report, double dt, double error) {
  const std::string where = fmt::format("after step {}, t = {:.6g}", report.steps, report.t);
  if (!std::isfinite(error))
    return fmt::format(
        "the solution is not finite in any step {}, not even in one of length {:.3g}: f has no value "
        "there, or the solution grows without bound",
        where, dt);
  return fmt::format(
      "steps {} have fallen to {:.3g}, below the last digits of t, for the tolerance (the last error was {:.3g} times "
      "as large): the solution may have a singularity there, or the problem is too stiff for an explicit scheme",
      where, dt, error);
}

}  // namespace detail

template <class Exec>
TimeReport advance(Exec& exec, Stepper<Exec>& stepper, RightHandSide<Exec>& f, double t, double end, double dt,
                   View<double> u, const StepMonitor& monitor, Offset done) {
  const Offset before = stepper.evaluations();
  TimeReport report =
      detail::fixed_steps(exec, t, end, dt, monitor, done,
                          [&](double now, double length, double* count) { stepper.step(f, now, length, u, count); });
  report.evaluations = stepper.evaluations() - before;
  return report;
}

template <class Exec>
TimeReport advance(Exec& exec, Newmark<Exec>& newmark, Acceleration<Exec>& f, double t, double end, double dt,
                   View<double> u, View<double> v, const StepMonitor& monitor, Offset done) {
  const Offset before = newmark.evaluations();
  TimeReport report =
      detail::fixed_steps(exec, t, end, dt, monitor, done,
                          [&](double now, double length, double* count) { newmark.step(f, now, length, u, v, count); });
  report.evaluations = newmark.evaluations() - before;
  return report;
}

template <class Exec>
TimeReport advance(Exec& exec, Stepper<Exec>& stepper, RightHandSide<Exec>& f, double t, double end,
                   StepControl& control, View<double> u, const StepMonitor& monitor) {
  detail::check_span(t, end);
  control.check();
  const Offset before = stepper.evaluations();
  const StepTolerance& tolerance = control.tolerance;
  TimeReport report;
  report.t = t;
  if (!detail::is_finite(exec, u)) {
    report.failure = fmt::format("the solution is not finite before the first step, t = {:.6g}", t);
    return report;
  }
  if (control.dt == 0 && end > t) control.dt = stepper.first_step(f, t, end - t, tolerance, u);
  while (report.t < end && report.failure.empty()) {
    if (monitor.stop && monitor.stop()) {
      report.interrupted = true;
      break;
    }
    double wanted = control.longest > 0 ? std::min(control.dt, control.longest) : control.dt;
    wanted = stepper.stable_step(f, report.t, wanted, tolerance, u);
    const double dt = detail::fitted(report.t, end, wanted);
    const double error = stepper.step_with_error(f, report.t, dt, tolerance, u);
    if (control.decide(error, dt, stepper.error_order())) {
      // A step that was cut to meet the end says nothing against a longer one.
      if (dt < wanted) control.dt = std::max(control.dt, wanted);
      detail::count_step(report, dt == end - report.t ? end : report.t + dt, dt, monitor);
    } else {
      stepper.undo(u);
      ++report.rejected;
    }
    if (report.t < end && control.dt <= detail::shortest_step(report.t, end))
      report.failure = detail::too_short(report, control.dt, error);
  }
  report.finished = report.t == end && report.failure.empty();
  report.evaluations = stepper.evaluations() - before;
  return report;
}

/// One line instantiates all of the above for a backend.
#define TESSERA_INSTANTIATE_ADVANCE(Exec)                                                                              \
  template TimeReport advance(Exec&, Stepper<Exec>&, RightHandSide<Exec>&, double, double, double, View<double>,       \
                              const StepMonitor&, Offset);                                                             \
  template TimeReport advance(Exec&, Newmark<Exec>&, Acceleration<Exec>&, double, double, double, View<double>,        \
                              View<double>, const StepMonitor&, Offset);                                               \
  template TimeReport advance(Exec&, Stepper<Exec>&, RightHandSide<Exec>&, double, double, StepControl&, View<double>, \
                              const StepMonitor&)

}  // namespace tessera::solvers
