#include "physics/run/fallen_back.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/log.hpp"

namespace tessera::physics {

void say_fallen_back(const std::string& name, const std::string& other, const std::string& why_not, bool lacked_memory,
                     output::Summary& summary) {
  warn(fmt::format("the preconditioner {}, which was chosen automatically, {}: {} takes its place", name,
                   lacked_memory ? "finds too little memory" : "does not suit this matrix", other));
  const std::string chosen = summary.has("solver.why") ? summary.json()["solver"]["why"].get<std::string>() + "; " : "";
  summary.set("solver.why", fmt::format("{}{} took the place of {}: {}", chosen, other, name, why_not));
}

void summarise_first_attempt(const std::string& name, const solvers::Report& report, output::Summary& summary) {
  summary.set("solver.first_attempt.preconditioner", name);
  summary.set("solver.first_attempt.iterations", report.iterations);
  summary.set("solver.first_attempt.relative_residual", report.relative_residual);
}

}  // namespace tessera::physics
