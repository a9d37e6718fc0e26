#pragma once
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// M = L U in the pattern of the block rows of A, without fill, the blocks on the diagonal inverted: ILU(0) of the
/// blocks that couple the unknowns of two nodes. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., algorithm
/// 10.4. In the order of the rows and serial, so the same for any number of threads; where ranks share the rows each
/// takes its own. Keeps a copy of the values.
PreconditionerEntry block_ilu_entry();

}  // namespace tessera::solvers
