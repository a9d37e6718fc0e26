#pragma once
#include "assembly/space/dof_map.hpp"

namespace tessera::assembly {

/// The dofs of a lower order on the mesh of `higher`, numbered as make_dof_map, or make_periodic_dof_map, would number
/// them. Vertices, edges, faces and cells have consecutive dofs in either order and follow each other in the same one,
/// so nothing is sorted: a pass over the cells finds where each begins, one over the dofs adds up what the lower order
/// has before it, and another pass writes the dofs of the cells. 4 B a dof of the higher order for a moment.
/// `order` is from 1 on and lower.
DofMap lower_dof_map(const DofMap& higher, int order, int threads = 0);

}  // namespace tessera::assembly
