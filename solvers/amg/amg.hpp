#pragma once
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// Keys of the preconditioner "amg".
struct AmgParams {
  std::string cycle = "V";          ///< V | W | K
  double strength = 0.35;           ///< theta of the finest level, halved on each level below
  int smoother_degree = 2;          ///< products of a smoothing step, less one, from a start of zero
  int coarsest_rows = 500;          ///< at most so many are solved by a dense inverse
  int gathered_rows = 50000;        ///< levels of at most so many rows, but the finest, are solved on each rank alone
  std::string hierarchy = "float";  ///< float | double: matrices and vectors of the cycle
};

/// Smoothed aggregation (Vanek, Mandel & Brezina 1996), for symmetric positive definite matrices; of several unknowns a
/// node with Operator::near_kernel, or else the constants of each.
/// M^-1 is one cycle, symmetric and positive definite but for a K-cycle, which depends on r. docs/methods/multigrid.md.
PreconditionerEntry amg_entry();

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_amg(const SolverParams& params);

}  // namespace tessera::solvers
