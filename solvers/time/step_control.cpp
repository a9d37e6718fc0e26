#include "solvers/time/step_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace tessera::solvers {

bool StepControl::decide(double error, double taken, int q) {
  if (!std::isfinite(error)) {
    was_rejected = true;
    dt = least * taken;
    return false;
  }
  const double integral = 0.2 / q, proportional = 1.0 / q - 0.75 * integral;
  const bool accepted = error <= 1;
  double factor = most;
  if (error > 0)
    factor =
        safety * std::pow(error, accepted ? -proportional : -1.0 / q) * (accepted ? std::pow(last_error, integral) : 1);
  factor = std::clamp(factor, least, most);
  // A step is not made longer at once after one that was too long.
  if (!accepted || was_rejected) factor = std::min(factor, 1.0);
  if (accepted && factor > 1 && factor < worth) factor = 1;
  if (accepted) last_error = std::max(error, 1e-4);
  was_rejected = !accepted;
  dt = factor * taken;
  return accepted;
}

void StepControl::check() const {
  const auto refuse = [](const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, what, help);
  };
  if (!(tolerance.relative >= 0) || !(tolerance.absolute > 0))
    refuse(fmt::format("the tolerances of a step are {} (relative) and {} (absolute)", tolerance.relative,
                       tolerance.absolute),
           "the relative one may not be negative, and the absolute one must be positive: it is what counts where the "
           "solution is 0");
  if (!(dt >= 0) || !(longest >= 0))
    refuse(fmt::format("the first step is {} and the longest one {}", dt, longest),
           "both must be positive, or 0 to have them chosen");
  if (!(least > 0 && least < 1 && most > 1 && worth >= 1 && safety > 0 && safety < 1))
    refuse(fmt::format("steps may change by factors of {} to {}, with a safety of {}", least, most, safety),
           "the first factor and the safety must lie between 0 and 1, the second factor above 1");
}

}  // namespace tessera::solvers
