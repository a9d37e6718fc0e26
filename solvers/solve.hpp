#pragma once
#include <string>
#include <vector>

#include "base/backend.hpp"
#include "linalg/operator.hpp"
#include "solvers/params.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers {

/// What a discretised problem knows of its solution beside the system.
struct Known {
  View<const Index> rows = {};     ///< fixed: A has nothing but the diagonal in these rows and columns; distinct
  View<const double> values = {};  ///< [rows]; b is not read there
  bool start = false;              ///< x holds one; false: the constant nearest to the data
};

/// Solves A x = b, A [rows, rows]; `x` holds the initial guess and receives the solution. Residuals are relative to ||b||. cg takes A for symmetric positive
/// definite, minres for symmetric, bicgstab and gmres for anything that is not singular. `params.precision` says in what the
/// iteration runs: double; float, matrix and vectors, for tolerances above 2e-7; or mixed, a float iteration whose
/// residual is that of the double system, which reaches the tolerances of double.
/// A solution whose residual is rounding of the terms that it is the sum of (`backward_error` of 16 units of the last digit at most)
/// is accepted with a warning though it misses the tolerance: double has no better.
/// Throws Error(usage) at `params.where` for unknown names, names that do not fit together or the operator (direct, ssor and
/// multicolour_ssor need its entries), a solver that the backend lacks, or sizes that do not fit.
/// A solver that does not converge returns a Report with converged = false and `failure` set.
template <class Exec>
Report solve(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
             const SolverParams& params, const Monitor& monitor = {});
/// The system of a discretised problem, whose constants are vectors of ones. The unknown is y = x - c on the free rows, c the constant for
/// which ||b - c A 1|| is least: adding a constant to all data of the problem changes c and nothing else. Residuals are those of
/// A y = b - c A 1 on the free rows, relative to reference_norm; a right-hand side that is that of a constant to rounding is solved by
/// it. Set-up: one product and some passes, and 16 B a row (`shift_bytes`).
template <class Exec>
Report solve(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
             const SolverParams& params, const Monitor& monitor, const Known& known);
/// The same for a matrix in CRS.
template <class Exec>
Report solve(Exec& exec, const linalg::Crs<typename Exec::Space>& A, View<const double> b, View<double> x,
             const SolverParams& params, const Monitor& monitor = {}) {
  const linalg::CrsOperator<Exec> as_operator(A);
  return solve(exec, static_cast<const linalg::Operator<Exec>&>(as_operator), b, x, params, monitor);
}

/// Bytes that `solve` allocates beside A, b and x, at their peak, but for a few kB of scalars. Exact for Krylov solvers of a CRS
/// matrix, with two estimates: the factor of direct solvers (a 3-D problem under a minimum-degree order), and what
/// multicolour_ssor pads on CUDA (a tenth).
template <class Exec>
double solver_bytes(const SolverParams& params, Offset rows, Offset nnz);
/// The same for threads.
double solver_bytes(const SolverParams& params, Offset rows, Offset nnz);

/// What `solve` with a `Known` allocates beside that.
inline double shift_bytes(Offset rows) { return 16.0 * static_cast<double>(rows); }

/// A name that a deck may use, with its help, the backends that have it in this build, and the keys of [solver] that it reads.
struct NamedHelp {
  std::string name, help;
  bool threads, cuda;
  std::vector<std::string> keys;
};
const std::vector<NamedHelp>& solver_table();
const std::vector<NamedHelp>& preconditioner_table();

}  // namespace tessera::solvers
