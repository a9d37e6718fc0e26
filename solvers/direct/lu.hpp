#pragma once
#include "solvers/method.hpp"

namespace tessera::solvers {

/// Solves A x = b, A any matrix that is not singular, by P A Q = L U of Eigen (SparseLU, COLAMD order, partial
/// pivoting, serial), refined until the residual meets the tolerance, twice at most. A that is singular, or singular to
/// rounding (a pivot below 1e-14 of its column), is reported as a failure. `history` and `iterations` as of direct.
/// Throws Error(memory) when the factor does not fit, Error(usage) for more than 2^31 non-zeros.
MethodEntry lu_entry();

}  // namespace tessera::solvers
