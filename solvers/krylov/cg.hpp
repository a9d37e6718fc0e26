#pragma once
#include "solvers/method.hpp"

namespace tessera::solvers {

struct CgParams {
  std::string variant = "standard";  ///< standard | single_reduction
};

/// Preconditioned conjugate gradients for a symmetric positive definite A; see linear_solver.hpp. Hestenes & Stiefel
/// 1952; Numerical Computations with GPUs, section 4.5, with the true residual recomputed before a solution is
/// accepted. variant = "standard", or "single_reduction" (Chronopoulos & Gear 1989), which needs the sums of an
/// iteration at one point.
///
/// Bytes per row and iteration, k non-zeros in a row (CRS, double, 64-bit row_ptr):
///   q = A p, (p, q)                        12 k + 8 + 8 (p) + 8 (q)        = 12 k + 24
///   r -= alpha q, (r, r), (r, D^-1 r)      reads r q D^-1, writes r        = 32   (D = 1: 24)
///   x += alpha p, p = D^-1 r + beta p      reads x p r D^-1, writes x p    = 48   (D = 1: 40)
///   Jacobi 12 k + 104, plain 12 k + 88. Other preconditioners: 12 k + 88 and 16 + their own for z = M^-1 r and (r, z).
///   single_reduction: 12 k + 24 and one pass over the vectors of 88 (D = 1: 72): 12 k + 112, plain 12 k + 96.
/// In float 8 k and half of the rest, but for row_ptr.
MethodEntry cg_entry();

template <class Exec>
std::unique_ptr<Method<Exec>> make_cg(const SolverParams& params);

}  // namespace tessera::solvers
