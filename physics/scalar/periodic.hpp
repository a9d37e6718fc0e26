#pragma once
// Periodic boundaries: u is the same at a point of one side and at its image on the other.
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "physics/scalar/problem.hpp"

namespace tessera::physics::scalar {

/// Takes the periodic entries out of `boundaries` and returns them. Throws Error(usage) where one does not name two
/// groups, or has a value.
std::vector<BoundaryParams> take_periodic(std::vector<BoundaryParams>& boundaries);

/// What every vertex is one with (see mesh::join_sides), by all periodic entries together, so that corners follow from
/// the sides. Empty without entries; then a $Periodic section of the file that nobody uses is warned of. Throws
/// Error(mesh) where sides do not fit, Error(usage) where one has another condition, too.
std::vector<Index> periodic_vertices(const deck::Deck& deck, const Params& params,
                                     const std::vector<BoundaryParams>& periodic, const mesh::Mesh& mesh);

/// Dirichlet values at dofs of the unfolded space, at those that they became. Throws Error(usage) where two values meet
/// in one dof.
DirichletData fold(const Unfolded& unfolded, Index dofs, const DirichletData& dirichlet,
                   const std::vector<BoundaryParams>& boundaries);

}  // namespace tessera::physics::scalar
