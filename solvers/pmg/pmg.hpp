#pragma once
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// Multigrid over the orders of elements (Operator::lower_orders), for symmetric positive definite operators with or
/// without a matrix: a V-cycle over the orders, each smoothed by three steps of the Chebyshev iteration of the fourth
/// kind with optimised weights and the diagonal (Lottes, Optimal polynomial smoothers for multigrid V-cycles, Numer.
/// Linear Algebra Appl. 30 (2023) e2518), and one cycle of `amg` at order 1; in single precision, but for the
/// vectors of `amg`. Symmetric positive definite. docs/methods/multigrid.md.
PreconditionerEntry pmg_entry();

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_pmg(const SolverParams& params);

}  // namespace tessera::solvers
