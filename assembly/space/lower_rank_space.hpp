#pragma once
#include <span>
#include <vector>

#include "assembly/space/space.hpp"
#include "base/communicator.hpp"

namespace tessera::assembly {

/// The space in a lower order on the part of `higher`, whose cells have these numbers in the whole mesh: lower_dof_map
/// with ghosts in the order of their owners, which may see the inside of an edge or face from another side. `fixed`:
/// the rows of `higher` that are fixed, ascending, those of ghosts among them, which become those of the lower order.
/// Collective.
Space lower_rank_space(Communicator& ranks, std::span<const Offset> cell_numbers, const Space& higher, int order,
                       int threads, std::vector<Index>& fixed);

}  // namespace tessera::assembly
