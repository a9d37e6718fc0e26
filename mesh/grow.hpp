#pragma once
// Layers of cells that grow outward from plane sides of a mesh.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deck/section.hpp"
#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// What grows, and from where.
struct Growth {
  std::string of;                   ///< what messages call it
  std::vector<Index> facets;        ///< numbers in Mesh::facets; each plane of them is a side that grows
  int layers = 3;                   ///< of cells
  std::optional<double> thickness;  ///< of all of them; none: of each the mean of the cells at the side
  deck::Where where;                ///< where a deck asks for it
};

/// Grows layers of equally thick cells outward from plane sides across axes of coordinates, of meshes of quads or of
/// hexes of either geometric order. Where two sides meet, the later one grows out of the layers of the earlier one as
/// well, so that corners are filled. Nodes and cells keep their numbers; new ones follow, column by column.
///
/// Facets of a side become those of its layers' outside, in whatever groups they are. What else meets the side in an
/// edge (of plane meshes in a point) and is in a group goes on along the layers. New cells are in the groups of the
/// cell that they grow from, and in the group `name`, which is an entity where the mesh has no groups of cells. Groups
/// of curves (of plane meshes of points) stay as they are. The mesh is no box any more; its box_min and box_max are
/// where the old cells lie.
///
/// Throws Error(usage), at the place of the deck, where cells are others than quads or hexes, where a side is curved or
/// slanted, has facets inside the mesh, cells behind it or facets in its plane that are not named, or grows twice, and
/// where there is a group `name`; Error(mesh) where 32-bit numbers do not suffice.
void grow(Mesh& mesh, std::span<const Growth> sides, const std::string& name);

}  // namespace tessera::mesh
