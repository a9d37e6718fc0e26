#pragma once
#include <string>

#include "solvers/method.hpp"
#include "solvers/params.hpp"

namespace tessera::solvers {

/// Of several unknowns a node block_jacobi, else jacobi: what preconditioner = "auto" stands for where nothing better
/// is known.
const char* jacobi_of(int unknowns_of_node);
/// Whether it is amg or pmg.
bool is_multigrid(const SolverParams& params);
/// Whether it is, and preconditioner = "auto" has chosen it.
bool is_automatic(const SolverParams& params);

/// A preconditioner, and why it was chosen.
struct Automatic {
  std::string preconditioner;
  std::string why;
};
/// What a system has for the preconditioners that may be chosen.
struct OneSystem {
  ProblemSize size = {};      ///< `entries` of a system without a matrix are not looked at
  bool entries = true;        ///< they are at hand, in rows
  bool matrix = true;         ///< else its operator is applied without one
  bool lower_orders = false;  ///< it may be had in elements of lower orders
  bool simplices = false;     ///< its cells are triangles or tets
};
/// What preconditioner = "auto" of cg, or of bicgstab and gmres where the matrix is not symmetric, stands for where one
/// system, positive definite or its symmetric part, is solved from a start that knows nothing: jacobi (block_jacobi of
/// several unknowns a node), or that of amg and pmg whose set-up and few iterations cost least, where they cost less
/// than those that jacobi is likely to take, of those that fit into `free_bytes` (0: not known). Iterations of jacobi
/// grow with the nodes along an axis, those of all ranks; costs are those of docs/methods/multigrid.md, of what one
/// rank has. With the same sizes and memory all ranks choose the same.
Automatic choose_preconditioner(const SolverParams& params, const OneSystem& system, double free_bytes);

}  // namespace tessera::solvers
