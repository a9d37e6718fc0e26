#pragma once
#include "assembly/space/dof_map.hpp"
#include "linalg/crs.hpp"

namespace tessera::assembly {

/// Values at the nodes of the space `to` of the basis functions of `from`, on the same mesh: P [to.dofs components,
/// from.dofs components], which takes a field of a lower order to a higher one unchanged. Components of a dof keep to
/// themselves. Rows of `fixed_to` and columns of `fixed_from` (ascending) are empty: corrections vanish where values
/// are prescribed. Both maps have blocks of the same cells in the same order.
linalg::Crs<Host, float> interpolation(const DofMap& from, const DofMap& to, int components,
                                       std::span<const Index> fixed_from, std::span<const Index> fixed_to);

}  // namespace tessera::assembly
