#include "physics/run/time_report.hpp"

#include <fmt/format.h>

#include "base/log.hpp"

namespace tessera::physics {

void summarise_time(const TimeParams& params, const TimeReport& report, output::Summary& summary) {
  summary.set("time.scheme", params.scheme);
  if (params.scheme == "theta") summary.set("time.theta", params.theta);
  summary.set("time.start", params.start);
  summary.set("time.end", params.end);
  summary.set("time.t", report.t);
  summary.set("time.steps", report.steps_done);
  if (report.steps_done > 0) {
    summary.set("time.dt_min", report.dt_min);
    summary.set("time.dt_max", report.dt_max);
  }
  summary.set("time.systems", report.systems);
  summary.set("time.matrices", report.matrices);
  summary.set("time.iterations", report.iterations);
  log_info(fmt::format("{}: {} steps to t = {:g}, {} systems, {} iterations, {} matrices", params.scheme,
                       report.steps_done, report.t, report.systems, report.iterations, report.matrices));
}

}  // namespace tessera::physics
