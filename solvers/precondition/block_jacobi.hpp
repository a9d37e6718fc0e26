#pragma once
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// M = the blocks of A that couple the unknowns of a node, each inverted: block_size values a row. Where A has one
/// unknown a node it is jacobi, but for a pass over the vectors that CG does not save. For methods that take A for
/// symmetric the blocks must be positive definite (Cholesky), for others not singular (Gauss with pivoting).
PreconditionerEntry block_jacobi_entry();

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_block_jacobi(const SolverParams& params);

/// "the 3 x 3 block of node 7 (rows 21 to 23) ..." for the first block that `sign` excludes; without its place where
/// none is found.
template <class T>
std::string describe_bad_block(int block, const std::vector<T>& blocks, linalg::Sign sign);

}  // namespace tessera::solvers
