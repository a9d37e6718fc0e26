#pragma once
#include "base/backend.hpp"
#include "linalg/operator.hpp"
#include "solvers/params.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers {

/// Solves A x = b, A any matrix that is not singular, by P A Q = L U of Eigen (SparseLU, COLAMD order, partial pivoting, serial),
/// refined until the residual meets the tolerance, twice at most. A that is singular, or singular to rounding (a pivot below 1e-14 of its
/// column), is reported as a failure. `history` and `iterations`
/// as of solve_ldlt. Throws Error(memory) when the factor does not fit, Error(usage) for more than 2^31 non-zeros or an operator
/// without entries.
Report solve_lu(Threads& exec, const linalg::Operator<Threads>& A, View<const double> b, View<double> x,
                const SolverParams& params, const Monitor& monitor, View<const double> row_sums = {});

}  // namespace tessera::solvers
