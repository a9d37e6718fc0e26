#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace tessera::mesh {

/// Gmsh's getElements returns, of one entity and one shape, the elements of the first one's order and drops the others
/// in silence. Throws Error(mesh) naming the entity where that happened; `types` and `elements` are what
/// getElements(dim, entity) returned.
void refuse_mixed_orders(const std::string& file, int dim, int entity, const std::vector<int>& types,
                         const std::vector<std::vector<std::size_t>>& elements);

}  // namespace tessera::mesh
