#pragma once
#include "linalg/operator.hpp"
#include "solvers/params.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers {

/// Stabilised biconjugate gradients for an A that need not be symmetric, preconditioned from the right, so the residual is
/// that of the system itself. van der Vorst 1992. Where (r^, r) or omega vanishes it starts again from x.
///
/// Bytes per row and iteration, k non-zeros in a row (CRS, double): two products 24 k + 48, and with Jacobi 48 for y and z,
/// (r^, v) 16, s 24, (t, s) and (t, t) 16, x 32, r 24, (r, r) and (r^, r) 16, p 32: 24 k + 256.
template <class Exec>
Report solve_bicgstab(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
                      const SolverParams& params, const Monitor& monitor, View<const double> row_sums);

}  // namespace tessera::solvers
