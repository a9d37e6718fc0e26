#pragma once
#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

/// The least symmetric diffusion that leaves no positive entry beside the diagonal: A += D with
///   d_ij = -max(0, a_ij, a_ji),  j != i,      d_ii = -sum of the others of the row.
/// Rows and columns of D add up to zero, so D conserves. Where the rows of A add up to zero or more, A + D is then an
/// M-matrix, and the solution of (A + D) u = 0 with given values on a part of the boundary stays within these. Source:
/// D. Kuzmin, Algebraic flux correction I, in: Flux-Corrected Transport, 2nd ed., Springer 2012, section 4.2 ("discrete
/// upwinding").
/// Columns ascend, the pattern is symmetric and has the diagonal. Repeatable. Scratch: 8 B an entry.
template <class Exec>
void add_discrete_upwinding(Exec& exec, Crs<typename Exec::Space>& A);

}  // namespace tessera::linalg
