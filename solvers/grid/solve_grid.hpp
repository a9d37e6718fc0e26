#pragma once
#include "linalg/operator.hpp"
#include "solvers/params.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers::grid {

/// Solves A x = b directly, A a GridOperator, by the method that `params.type` names ("bcr", "fft"; `params.radix`). The start in
/// x is not read. The residual is that of the double system. Where it misses the tolerance and is not
/// at round-off, the solution is refined: at most twice in double, while it helps in mixed precision (solver in float,
/// residual and sum in double), never in float.
/// A residual of ||A|| ||x|| eps cannot be helped: on fine grids it may lie above the tolerance. So a solution is also accepted,
/// with a warning, whose backward error ||b - A x|| / (||A|| ||x|| + ||b||) is at the round-off of the precision; the report holds both.
/// `iterations` counts solves. Throws Error(usage) for another operator or a grid that the method does not take.
template <class Exec>
Report solve_grid(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
                  const SolverParams& params, const Monitor& monitor, View<const double> row_sums = {});

}  // namespace tessera::solvers::grid
