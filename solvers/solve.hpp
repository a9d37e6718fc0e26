#pragma once
#include "solvers/linear_solver.hpp"

namespace tessera::solvers {

/// One system: a LinearSolver that is used once.
template <class Exec>
Report solve(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
             const SolverParams& params, const Monitor& monitor = {}) {
  LinearSolver<Exec> solver(exec, params);
  solver.set_operator(A);
  return solver.solve(b, x, monitor);
}
/// The system of a discretised problem.
template <class Exec>
Report solve(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
             const SolverParams& params, const Monitor& monitor, const Known& known) {
  LinearSolver<Exec> solver(exec, params);
  solver.set_operator(A);
  return solver.solve(b, x, monitor, known);
}
/// The same for a matrix in CRS.
template <class Exec>
Report solve(Exec& exec, const linalg::Crs<typename Exec::Space>& A, View<const double> b, View<double> x,
             const SolverParams& params, const Monitor& monitor = {}) {
  const linalg::CrsOperator<Exec> as_operator(A);
  return solve(exec, static_cast<const linalg::Operator<Exec>&>(as_operator), b, x, params, monitor);
}

/// Bytes that `solve` takes beside A, b and x, at their peak, but for a few kB of scalars: what the method and its
/// preconditioner say of themselves. Exact for Krylov solvers of a matrix in CRS or in block_crs and for two-point
/// problems. Estimates are the factor of direct solvers (of minimum degree; on CUDA it stays on the host, and is none
/// of these bytes), and what multicolour_ssor pads on CUDA (a tenth). `block`: unknowns a node; `copies_entries`: A is
/// stored in block rows, which readers of entries expand.
double solver_bytes(const SolverParams& params, const ProblemSize& size);
template <class Exec>
double solver_bytes(const SolverParams& params, Offset rows, Offset entries, Index block = 1,
                    bool copies_entries = false) {
  return solver_bytes(params, {static_cast<double>(rows), static_cast<double>(entries), std::is_same_v<Exec, Cuda>,
                               static_cast<double>(block), copies_entries});
}
/// The same for threads.
inline double solver_bytes(const SolverParams& params, Offset rows, Offset entries) {
  return solver_bytes<Threads>(params, rows, entries);
}

}  // namespace tessera::solvers
