#include "physics/run/newton.hpp"

#include <nlohmann/json.hpp>

namespace tessera::physics {

void summarise_newton(const NewtonReport& report, output::Summary& summary) {
  summary.set("newton.converged", report.converged);
  summary.set("newton.iterations", static_cast<Offset>(report.history.size()));
  summary.set("newton.load_steps", report.load_steps);
  summary.set("newton.initial_residual", report.start);
  if (!report.history.empty()) summary.set("newton.residual", report.history.back().residual);
  if (!report.failure.empty()) summary.set("newton.failure", report.failure);
  nlohmann::ordered_json history = nlohmann::ordered_json::array();
  for (const NewtonStep& step : report.history)
    history.push_back({{"residual", step.residual},
                       {"correction", step.correction},
                       {"damping", step.damping},
                       {"linear_iterations", step.linear_iterations}});
  summary.set_json("newton.history", history);
}

}  // namespace tessera::physics
