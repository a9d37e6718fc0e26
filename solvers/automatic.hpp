#pragma once
#include <string>

#include "solvers/method.hpp"
#include "solvers/params.hpp"

namespace tessera::solvers {

/// A preconditioner, and why it was chosen.
struct Automatic {
  std::string preconditioner;
  std::string why;
};
/// What preconditioner = "auto" of cg, or of bicgstab and gmres where the matrix is not symmetric, stands for where one
/// system of one unknown a node, positive definite or its symmetric part, whose entries are at hand, is solved from a
/// start that knows nothing: jacobi, or amg where its set-up and few iterations cost less than those that jacobi is
/// likely to take, and where it fits into `free_bytes` (0: not known). Iterations of jacobi grow with the nodes along
/// an axis, rows^(1 / dim), those of all ranks; costs are those of docs/methods/multigrid.md, of what one rank has.
/// With the same sizes and memory all ranks choose the same.
Automatic choose_preconditioner(const SolverParams& params, const ProblemSize& size, double free_bytes);

}  // namespace tessera::solvers
