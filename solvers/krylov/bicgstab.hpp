#pragma once
#include "solvers/method.hpp"

namespace tessera::solvers {

/// Stabilised biconjugate gradients for an A that need not be symmetric, preconditioned from the right, so the residual
/// is that of the system itself. van der Vorst 1992. Where (r^, r) or omega vanishes it starts again from x.
///
/// Bytes per row and iteration, k non-zeros in a row (CRS, double): two products 24 k + 48, and with Jacobi 48 for y
/// and z, (r^, v) 16, s 24, (t, s) and (t, t) 16, x 32, r 24, (r, r) and (r^, r) 16, p 32: 24 k + 256.
MethodEntry bicgstab_entry();

template <class Exec>
std::unique_ptr<Method<Exec>> make_bicgstab(const SolverParams& params);

}  // namespace tessera::solvers
