// What a call for many small systems says of itself, and what it refuses.
#include "solvers/odes/ode_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace tessera::solvers {

OdeReport report_of(const std::vector<PartOfReport>& parts) {
  OdeReport report;
  for (const PartOfReport& part : parts) {
    report.steps += part.steps;
    report.rejected += part.rejected;
    report.most_steps = std::max(report.most_steps, part.most_steps);
    if (report.failed == 0) report.first_failed = part.first_failed;
    report.failed += part.failed;
  }
  return report;
}

void describe_failure(OdeReport& report, const NodeOutcome& first, Offset count, double end) {
  report.first_failed_t = first.t;
  const auto why = [&] {
    switch (first.failure) {
      case OdeFailure::not_finite:
        return std::string("its state or its rates are not finite there; look at the initial values and parameters");
      case OdeFailure::step_too_short:
        return std::string(
            "its steps fell below the last digits of t; it may be infinite there, or the tolerance may "
            "be below rounding");
      case OdeFailure::too_many_steps:
        return fmt::format(
            "it has taken {} steps, the most of a call; allow more, loosen the tolerance, or take a "
            "method for stiff reactions",
            first.steps + first.rejected);
      case OdeFailure::none: break;
    }
    return std::string();
  };
  report.failure = fmt::format("{} of {} nodes did not reach t = {:g}; the first, node {}, stopped at t = {:g}: {}",
                               report.failed, count, end, report.first_failed, first.t, why());
}

void check_span(double t, double dt) {
  if (!std::isfinite(t) || !(dt >= 0) || !std::isfinite(dt))
    throw Error(ExitCode::usage, fmt::format("reactions cannot go on from t = {} by dt = {}", t, dt),
                "both must be finite, and dt may not be negative");
}

void check_state(int species, Offset count, Offset size, Offset node_stride, Offset component_stride) {
  const Offset needed = count == 0 ? 0 : (count - 1) * node_stride + (species - 1) * component_stride + 1;
  if (node_stride < 1 || component_stride < 1 || size < needed)
    throw Error(
        ExitCode::usage,
        fmt::format("{} species at {} nodes were given an array of {} numbers, with nodes {} and species {} apart",
                    species, count, size, node_stride, component_stride),
        fmt::format("this layout needs {} numbers, and distances of at least 1", needed));
}

void check_species(const OdeOptions& options, int species) {
  options.check();
  const OdeMethod& method = find_ode_method(options.method, options.where);
  if (species < 1 || species > method.most_species)
    throw Error(ExitCode::usage,
                fmt::format("the method '{}' takes 1 to {} species, and there are {}", method.name, method.most_species,
                            species),
                "take rosenbrock for more, which goes to 32", options.where);
}

}  // namespace tessera::solvers
