#include "physics/scalar/system.hpp"

#include <fmt/format.h>

#include "physics/scalar/evaluate.hpp"
#include "solvers/solve.hpp"

namespace tessera::physics::scalar {

std::vector<double> robin_alpha(const FacetTerm& term, const std::vector<double>& points, int threads) {
  if (term.boundary->type != "robin") return {};
  std::vector<double> alpha = evaluate(term.boundary->alpha, points, threads);
  for (double value : alpha)
    if (value < 0)
      throw Error(ExitCode::usage, fmt::format("robin alpha is negative ({})", value),
                  "alpha >= 0 keeps the problem positive definite", term.boundary->where);
  return alpha;
}

bool needs_entries(const solvers::SolverParams& solver) {
  return solvers::is_direct(solver) || solver.preconditioner == "ssor" || solver.preconditioner == "multicolour_ssor";
}

}  // namespace tessera::physics::scalar
