#pragma once
#include "assembly/space/dof_map.hpp"

namespace tessera::assembly {

/// About how many entries the sparsity of a space has, from the exact length of about 512 rows spread over the
/// numbering.
double estimated_entries(const DofMap& dofs);

}  // namespace tessera::assembly
