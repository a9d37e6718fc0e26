#pragma once
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// Of ssor and multicolour_ssor.
struct SweepParams {
  double relaxation = 1.0;  ///< omega, 0 < omega < 2
};
OwnKeys sweep_keys();

/// M = (D/w + L) ((2-w)/w D)^-1 (D/w + U), A = L + D + U, 0 < w < 2: one forward and one backward Gauss-Seidel sweep in
/// the order of the rows. Numerical Computations with GPUs, eq. 4.5.4. Serial, so the same for any number of threads.
PreconditionerEntry ssor_entry();

}  // namespace tessera::solvers
