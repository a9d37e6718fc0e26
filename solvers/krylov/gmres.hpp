#pragma once
#include "solvers/method.hpp"

namespace tessera::solvers {

struct GmresParams {
  int restart = 30;  ///< vectors of its basis
};

/// Generalised minimal residuals for an A that need not be symmetric, started again every `restart` iterations,
/// preconditioned from the right, so the residual is that of the system itself. Saad & Schultz 1986; classical
/// Gram-Schmidt twice (Giraud, Langou & Rozloznik 2005), whose sums come in a few passes instead of one a vector. The
/// Givens rotations happen on the host after every `check_every` iterations on CUDA.
///
/// Bytes per row in iteration j of a cycle, k non-zeros in a row (CRS, double): 12 k + 24, Jacobi 24, orthogonalisation
/// 2 (16 j + 16 + j) and 40: about 12 k + 120 + 34 j.
MethodEntry gmres_entry();

template <class Exec>
std::unique_ptr<Method<Exec>> make_gmres(const SolverParams& params);

}  // namespace tessera::solvers
