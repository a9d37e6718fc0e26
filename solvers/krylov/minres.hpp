#pragma once
#include "solvers/method.hpp"

namespace tessera::solvers {

/// Minimal residuals for a symmetric A, definite or not, with a symmetric positive definite preconditioner (jacobi
/// divides by |A_ii|; ssor needs a positive diagonal): the residual's M^-1 norm falls in every iteration. Paige &
/// Saunders 1975; Elman, Silvester & Wathen, Finite Elements and Fast Iterative Solvers, algorithm 4.1. The residual
/// itself is recurred beside, r_k = s^2 r_{k-1} + (c eta / gamma) v_{k+1}, so that the tolerance is on ||r|| whatever
/// the preconditioner.
///
/// Bytes per row and iteration, k non-zeros in a row (CRS, double): product 12 k + 24, v 32, z = M^-1 v 24 (Jacobi),
/// (z, v) 16, w 32, x 24, r 24, (r, r) 8: 12 k + 184.
MethodEntry minres_entry();

template <class Exec>
std::unique_ptr<Method<Exec>> make_minres(const SolverParams& params);

}  // namespace tessera::solvers
