#pragma once
#include "assembly/space/dof_map.hpp"

namespace tessera::assembly {

/// Most dofs of one rank that one other sees: the longest way of an exchange. Of the whole mesh; `owners`: see
/// mesh::vertex_owners.
Index longest_way(const mesh::Mesh& mesh, const DofMap& dofs, const std::vector<int>& owners, int ranks);

}  // namespace tessera::assembly
