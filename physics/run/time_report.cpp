#include "physics/run/time_report.hpp"

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/log.hpp"

namespace tessera::physics {

void summarise_time(const TimeParams& params, const TimeReport& report, output::Summary& summary) {
  summary.set("time.scheme", params.scheme);
  if (params.scheme == "theta") summary.set("time.theta", params.theta);
  summary.set("time.start", params.start);
  summary.set("time.end", params.end);
  summary.set("time.t", report.t);
  summary.set("time.steps", report.step);
  summary.set("time.rejected", report.rejected);
  if (report.dt_max > 0) {
    summary.set("time.dt_min", report.dt_min);
    summary.set("time.dt_max", report.dt_max);
  }
  std::string work;
  if (report.systems > 0) {
    summary.set("time.systems", report.systems);
    summary.set("time.matrices", report.matrices);
    summary.set("time.set_ups", report.set_ups);
    summary.set("time.iterations", report.iterations);
    work = fmt::format("{}, {}, {}", counted(report.systems, "system"), counted(report.iterations, "iteration"),
                       counted(report.matrices, "matrix", "matrices"));
    if (report.rejected > 0) work = fmt::format("{} rejected, {}", report.rejected, work);
  } else {
    summary.set("time.evaluations", report.evaluations);
    if (report.stable_step > 0) summary.set("time.stable_step", report.stable_step);
    work = fmt::format("{} rejected, {}", report.rejected, counted(report.evaluations, "evaluation"));
  }
  if (report.split) {
    const SplitReport& split = *report.split;
    summary.set("time.splitting", split.scheme);
    summary.set("time.reactions.method", split.method);
    summary.set("time.reactions.steps", split.steps);
    summary.set("time.reactions.rejected", split.rejected);
    summary.set("time.reactions.most_steps", static_cast<Offset>(split.most_steps));
    work += fmt::format("; {} splitting, reactions {} and {} rejected, up to {} of a node", split.scheme,
                        counted(split.steps, "step"), split.rejected, split.most_steps);
  }
  log_info(fmt::format("{}: {} to t = {:g}, {}", params.scheme, counted(report.step, "step"), report.t, work));
}

}  // namespace tessera::physics
