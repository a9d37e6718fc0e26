#pragma once
#include "base/backend.hpp"
#include "linalg/operator.hpp"
#include "solvers/params.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers {

/// Solves A x = b, A symmetric, by L D L^T of Eigen (SimplicialLDLT, AMD order, serial), refined until the residual meets
/// the tolerance, twice at most. A singular A is reported as a failure that names the row of the vanishing pivot.
/// `history` holds the relative residual after the solution and after each refinement; `iterations` counts refinements.
/// Throws Error(memory) when the factor does not fit, Error(usage) for more than 2^31 non-zeros or an operator without
/// entries.
Report solve_ldlt(Threads& exec, const linalg::Operator<Threads>& A, View<const double> b, View<double> x,
                  const SolverParams& params, const Monitor& monitor, View<const double> row_sums = {});

}  // namespace tessera::solvers
