#pragma once
#include "base/backend.hpp"
#include "linalg/crs.hpp"
#include "solvers/params.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers {

/// Preconditioned conjugate gradients for a symmetric positive definite A; see docs of solve(). Hestenes & Stiefel 1952;
/// Numerical Computations with GPUs, section 4.5, with the true residual recomputed before a solution is accepted.
///
/// Bytes per row and iteration, k non-zeros in a row (double, 64-bit row_ptr):
///   q = A p, (p, q)                        12 k + 8 + 8 (p) + 8 (q)        = 12 k + 24
///   r -= alpha q, (r, r), (r, D^-1 r)      reads r q D^-1, writes r        = 32   (D = 1: 24)
///   x += alpha p, p = D^-1 r + beta p      reads x p r D^-1, writes x p    = 48   (D = 1: 40)
///   Jacobi 12 k + 104, plain 12 k + 88. SSOR: 12 k + 24 + 24 + 40, and 12 k + 72 and 16 for z = M^-1 r and (r, z).
template <class Exec>
Report solve_cg(Exec& exec, const linalg::Crs<typename Exec::Space>& A, View<const double> b, View<double> x,
                const SolverParams& params, const Monitor& monitor);

}  // namespace tessera::solvers
