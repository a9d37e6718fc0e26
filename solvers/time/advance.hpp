#pragma once
#include <functional>
#include <string>

#include "solvers/time/newmark.hpp"
#include "solvers/time/step_control.hpp"
#include "solvers/time/stepper.hpp"

namespace tessera::solvers {

/// What was done between two times. Failing is reported here, never thrown.
struct TimeReport {
  double t = 0;         ///< that u belongs to
  Offset steps = 0;     ///< done
  Offset rejected = 0;  ///< taken back, since their error was too large
  Offset evaluations = 0;
  double dt_min = 0, dt_max = 0;  ///< of the steps done
  bool finished = false;          ///< t is the end that was asked for, exactly
  bool interrupted = false;       ///< StepMonitor::stop asked for it
  std::string failure;            ///< empty, or a sentence: what went wrong, in which step and when, and what may help
};

/// Lets the caller watch and stop. Either may be empty.
struct StepMonitor {
  /// After each step done: how many there are, and the time and length of the last one.
  std::function<void(Offset steps, double t, double dt)> accepted = {};
  std::function<bool()> stop = {};
};

/// u(t) -> u(end) in ceil((end - t) / dt) steps of length dt, but for the last, which meets `end` exactly. Ends with a
/// report where u is not finite any more; on CUDA it looks once in ten steps, and says the first step that was not.
/// `done`: steps of these that were done before; u is the state after them, and only those that follow are reported.
/// Throws Error(usage) where dt is not positive or `end` lies before t. Collective.
template <class Exec>
TimeReport advance(Exec& exec, Stepper<Exec>& stepper, RightHandSide<Exec>& f, double t, double end, double dt,
                   View<double> u, const StepMonitor& monitor = {}, Offset done = 0);

/// The same for u'' = f(t, u, v).
template <class Exec>
TimeReport advance(Exec& exec, Newmark<Exec>& newmark, Acceleration<Exec>& f, double t, double end, double dt,
                   View<double> u, View<double> v, const StepMonitor& monitor = {}, Offset done = 0);

/// u(t) -> u(end) with steps that meet the tolerance of `control`; the stepper was made with `adaptive`. The last two
/// steps are shortened to meet `end` exactly, and control.dt remembers the length before that. Ends with a report where
/// steps fall below 16 units of the last digit of t, and where u is not finite. Collective.
template <class Exec>
TimeReport advance(Exec& exec, Stepper<Exec>& stepper, RightHandSide<Exec>& f, double t, double end,
                   StepControl& control, View<double> u, const StepMonitor& monitor = {});

}  // namespace tessera::solvers
