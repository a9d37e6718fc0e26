#pragma once
#include <span>
#include <string>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Places where the cells of a mesh do not fit together. Facets that two cells share fit by construction; so everything
/// that does not fit shows at vertices of exterior facets.
struct Misfits {
  /// Vertices of exterior facets, each counted once, and the first of each kind with what it meets.
  struct Kind {
    Index count = 0;
    Index vertex = -1;
    Index other = -1;  ///< coincident: the other vertex; hanging and inside: the cell
  };
  Kind coincident;  ///< another vertex, of other cells, lies at the same place
  Kind hanging;     ///< it lies on an exterior side of a cell that does not have it
  Kind inside;      ///< it lies inside a cell: cells overlap
  bool none() const { return coincident.count == 0 && hanging.count == 0 && inside.count == 0; }
};

/// Looks for them with a tree of the boundary's vertices. Distances are measured by the size of the cells there (1e-6
/// of a height, or of an edge), so that thin layers and graded meshes pass. Cost: O(cells + b log b) for b vertices on
/// the boundary. `apart`: groups of facets that may touch others, or with curved sides reach a little into their cells;
/// nothing is said of their vertices.
Misfits find_misfits(const Mesh& mesh, std::span<const std::string> apart = {});

/// Throws Error(mesh) with the counts and the coordinates of the first place. `allow_cracks`: coincident vertices and
/// touching sides are meant, and only overlaps are refused. `apart`: see find_misfits.
void check_conformity(const Mesh& mesh, bool allow_cracks, std::span<const std::string> apart = {});

/// Makes one of boundary nodes that lie within `tolerance` (a length) of each other: the lowest-numbered stays. Facets
/// and groups follow. Returns how many nodes went. Throws Error(mesh) where a cell would lose an edge.
Index merge_nodes(Mesh& mesh, double tolerance);

}  // namespace tessera::mesh
