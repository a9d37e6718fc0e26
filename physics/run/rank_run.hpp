#pragma once
// A run that ranks share: how the mesh goes out and the solution comes back.
#include "base/waiting.hpp"
#include "mesh/rank_mesh.hpp"
#include "physics/model.hpp"

namespace tessera::physics {

/// Throws Error(usage) for what works on one rank only.
void check_over_ranks(const CommonParams& params, const Traits& traits, const deck::Deck& deck);
/// Throws Error(usage) on all ranks where they do not all find the same backend. Collective.
void check_same_backend(Communicator& ranks, const CommonParams& params);

/// mesh::vertex_owners as the deck asks; where the file's partitions do not fit, the error has the place of [mesh].
std::vector<int> owners_of_vertices(const mesh::Mesh& mesh, int ranks, const mesh::MeshParams& params,
                                    std::span<const Index> joined, const std::function<bool()>& stop = {});

/// The part of this rank of the mesh that the root has, with its `joined` vertices (Model::joined_vertices) and what
/// `coupled` adds (Model::coupled_cells); others' are not read. Phase: distribute. Collective.
mesh::RankMesh distribute_mesh(Communicator& ranks, const CommonParams& params, const Discretisation& whole,
                               std::span<const Index> joined, const mesh::CoupledCells& coupled, int threads,
                               const std::function<bool()>& stop);

/// The space on a part of the mesh, which it takes; `whole` is null where nobody has it, and else read on the root
/// alone. Phase: distribute. Collective.
void make_part(Communicator& ranks, const deck::Deck& deck, const CommonParams& params, int components,
               mesh::RankMesh own, const Discretisation* whole, Discretisation& part);

/// Whether the mesh of the deck is a box that is made in parts, so that nobody has the whole: where mesh.partition asks
/// for it, and of more than 2^25 nodes of the space unless it asks for another partition. Throws Error(usage) where it
/// cannot be.
bool is_made_in_parts(const deck::Deck& deck, const CommonParams& params, int ranks);

/// A box like that of the deck with few cells, for what is checked of the whole: the same sides and names.
mesh::BoxParams outline(const mesh::BoxParams& box);

/// The first cell of a box, of which the others are copies.
mesh::BoxParams one_cell(const mesh::BoxParams& box);

/// What Model::set_up returned on each rank becomes one: ghosts have the values of their owners, all have one level.
/// Collective.
void complete_dirichlet(Discretisation& part);
/// The same of values that Model::move_to returned.
DirichletData completed(const Discretisation& part, DirichletData fixed);

/// Cells of a part as a discretisation of their own, for operators without a matrix: those without ghosts, whose dofs
/// are all that the rank owns; or those with ghosts, and what is coupled with them, whose dofs are some that it owns,
/// `own`, and behind these all ghosts.
struct CellsOfPart {
  Discretisation space;
  std::vector<Index> own;  ///< dofs of the part
};
CellsOfPart cells_without_ghosts(const Discretisation& part);
CellsOfPart cells_with_ghosts(const Discretisation& part);

/// "ranks" of the summary: how many there are, and what each has. Collective.
void summarise_ranks(const Discretisation& part, output::Summary& summary);
/// "ranks.seconds_waiting" of the summary: what each rank has waited before the system was assembled, and since then.
/// Collective.
void summarise_waiting(Communicator& ranks, const Waited& before, const Waited& since, output::Summary& summary);
/// What summarise_mesh says of the whole box, which nobody has. Collective.
void summarise_parts(const Discretisation& part, const mesh::BoxParams& box, Offset nnz, output::Summary& summary);

}  // namespace tessera::physics
