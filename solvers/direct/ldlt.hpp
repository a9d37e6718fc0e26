#pragma once
#include "solvers/method.hpp"

namespace tessera::solvers {

/// Solves A x = b, A symmetric, by L D L^T of Eigen (SimplicialLDLT, AMD order, serial), refined until the residual
/// meets the tolerance, twice at most. A singular A is reported as a failure that names the row of the vanishing pivot.
/// `history` holds the relative residual after the solution and after each refinement; `iterations` counts refinements.
/// Throws Error(memory) when the factor does not fit, Error(usage) for more than 2^31 non-zeros.
MethodEntry ldlt_entry();

}  // namespace tessera::solvers
