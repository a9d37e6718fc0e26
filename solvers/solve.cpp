#include "solvers/solve.hpp"

#include "solvers/registry.hpp"

namespace tessera::solvers {

double solver_bytes(const SolverParams& params, const ProblemSize& size) {
  return find(solver_table(), params.type, "solver", params.where).bytes(params, size);
}

}  // namespace tessera::solvers
