#pragma once
#include "linalg/operator.hpp"
#include "solvers/params.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers {

/// Generalised minimal residuals for an A that need not be symmetric, started again every `restart` iterations, preconditioned
/// from the right, so the residual is that of the system itself. Saad & Schultz 1986; classical Gram-Schmidt twice (Giraud,
/// Langou & Rozloznik 2005), whose sums come in a few passes instead of one a vector. The Givens rotations happen on the host
/// after every `check_every` iterations on CUDA.
///
/// Bytes per row in iteration j of a cycle, k non-zeros in a row (CRS, double): 12 k + 24, Jacobi 24, orthogonalisation
/// 2 (16 j + 16 + j) and 40: about 12 k + 120 + 34 j.
template <class Exec>
Report solve_gmres(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
                   const SolverParams& params, const Monitor& monitor, View<const double> row_sums);

}  // namespace tessera::solvers
