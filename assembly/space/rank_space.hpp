#pragma once
#include "assembly/space/space.hpp"
#include "mesh/rank_mesh.hpp"

namespace tessera::assembly {

/// A dof as all ranks know it: the number of a cell of the whole mesh, and which of its dofs it is.
struct DofPlace {
  Offset cell = -1;
  Offset node = -1;
};

/// The space of the part of a mesh that a rank sees, from the dofs of that part, which are numbered anew: first those
/// that it owns, in their order, then ghosts, as IndexMap says. A dof belongs to the owner of the lowest vertex of the
/// vertex, edge, face or cell that it lies in or inside of.
struct RankSpace {
  Space space;
  std::vector<Index> new_number;  ///< [dofs] of the dofs of the part as they were given
  std::vector<DofPlace> places;   ///< [owned dofs], where they are asked for
};
/// Collective. Throws Error(usage) where a rank owns nothing.
RankSpace make_rank_space(Communicator& ranks, const mesh::RankMesh& part, DofMap dofs, int components,
                          bool with_places = true);

/// What each rank would have, [ranks]: dofs that it owns, cells that it sees, and dofs of others that it sees.
struct RankSizes {
  std::vector<Index> dofs, cells, ghosts;
};
/// Of the whole mesh; `owners`: see mesh::vertex_owners.
RankSizes rank_sizes(const mesh::Mesh& mesh, const DofMap& dofs, const std::vector<int>& owners, int ranks);

}  // namespace tessera::assembly
