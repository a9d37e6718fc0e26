#pragma once
#include <span>
#include <string>

#include "mesh/facets.hpp"

namespace tessera::mesh {

/// What became of a mesh that was split.
struct SplitMesh {
  Index facets = 0;  ///< that came apart
  Index nodes = 0;   ///< that were added
};

/// Takes a mesh apart along facets inside of it: of each facet both cells get nodes of their own. Where the facets end
/// inside the mesh, the nodes there are shared as before. New nodes follow those that they are copies of, and groups of
/// points and curves keep the node of the lowest cell. The facets that came apart are in the group `name`, which gets
/// those of both sides; in the entities "<name>_1" and "<name>_2", of which one has each of a pair; and by the groups
/// of cells that they belong to in the groups "<name>_of_<group>". The mesh is no box any more. Throws Error(mesh)
/// where a facet has one cell only, or none comes apart.
SplitMesh split_along(Mesh& mesh, const std::string& name, std::span<const Index> facets);

/// "<name>_1" and "<name>_2".
std::array<std::string, 2> side_names(const std::string& name);

/// The facets between cells of two groups, in a group of that name at the end of Mesh::groups. Throws Error(mesh) where
/// there are none.
void add_interface(Mesh& mesh, const Group& first, const Group& second, const std::string& name);

}  // namespace tessera::mesh
