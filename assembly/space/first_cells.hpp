#pragma once
#include <vector>

#include "assembly/space/dof_map.hpp"

namespace tessera::assembly {

/// [dofs] the first cell that has each; on all threads.
std::vector<Index> first_cells(const DofMap& dofs);

}  // namespace tessera::assembly
