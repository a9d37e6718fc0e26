#pragma once
#include <string>
#include <vector>

#include "base/backend.hpp"
#include "linalg/crs.hpp"
#include "solvers/params.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers {

/// Solves A x = b, A symmetric positive definite [rows, rows]; `x` holds the initial guess and receives the solution.
/// Throws Error(usage) at `params.where` for unknown names, a solver that the backend lacks, or sizes that do not fit.
/// A solver that does not converge returns a Report with converged = false and `failure` set.
template <class Exec>
Report solve(Exec& exec, const linalg::Crs<typename Exec::Space>& A, View<const double> b, View<double> x,
             const SolverParams& params, const Monitor& monitor = {});

/// Bytes that `solve` allocates beside A, b and x. Exact for Krylov solvers; for direct ones an estimate of the factor
/// of a 3-D problem under a minimum-degree order.
double solver_bytes(const SolverParams& params, Offset rows, Offset nnz);

/// A name that a deck may use, with its help, and the backends that have it in this build.
struct NamedHelp {
  std::string name, help;
  bool threads, cuda;
};
const std::vector<NamedHelp>& solver_table();
const std::vector<NamedHelp>& preconditioner_table();

}  // namespace tessera::solvers
