#pragma once
#include <span>
#include <string>

#include "deck/section.hpp"
#include "mesh/facets.hpp"

namespace tessera::mesh {

/// Facets inside a mesh along which it comes apart, and what its sides are called after.
struct Seam {
  std::string name;
  std::vector<Index> facets;  ///< numbers in Mesh::facets
  deck::Where where = {};     ///< where a deck asks for it
};

/// What became of a mesh that was split.
struct SplitMesh {
  struct Facets {
    Index apart = 0;        ///< that came apart
    Index glued = 0;        ///< whose vertices are all at ends inside the mesh: their cells are one there as before
    double glued_area = 0;  ///< as long or as large as these are
  };
  std::vector<Facets> cuts;  ///< of each cut
  Index nodes = 0;           ///< that were added
};

/// Takes a mesh apart along facets inside of it, all cuts at once, so that their order changes nothing where they meet:
/// of each facet both cells get nodes of their own. Where the facets end inside the mesh, the nodes there are shared as
/// before. New nodes follow those that they are copies of, and groups of points and curves have all copies. The facets
/// of a cut that came apart are in the group `name`, which gets those of both sides; in the entities "<name>_1" and
/// "<name>_2", of which one has each of a pair; and by the groups of cells that they belong to in the groups
/// "<name>_of_<group>". The mesh is no box any more. Throws Error(mesh) where a facet has one cell only, or none of a
/// cut comes apart, Error(usage) where a facet is in two cuts, or where the mesh has a group of a name that is to be.
SplitMesh split_along(Mesh& mesh, std::span<const Seam> cuts);

/// "<name>_1" and "<name>_2".
std::array<std::string, 2> side_names(const std::string& name);

/// The facets between cells of two groups, in a group of that name at the end of Mesh::groups. Throws Error(mesh) where
/// there are none, Error(usage) where the name is taken.
void add_interface(Mesh& mesh, const Group& first, const Group& second, const std::string& name);

}  // namespace tessera::mesh
