#pragma once
// A run that ranks share: how the mesh goes out and the solution comes back.
#include "physics/model.hpp"

namespace tessera::physics {

/// Throws Error(usage) for what works on one rank only.
void check_over_ranks(const CommonParams& params, const deck::Deck& deck);
/// Throws Error(usage) on all ranks where they do not all find the same backend. Collective.
void check_same_backend(Communicator& ranks, const CommonParams& params);

/// The part of this rank of a discretisation that the root has; others' `whole` is not read. `joined`: of the whole,
/// see Model::joined_vertices. Phase: distribute. Collective.
void distribute(Communicator& ranks, const deck::Deck& deck, const CommonParams& params, int components,
                const Discretisation& whole, std::span<const Index> joined, const std::function<bool()>& stop,
                Discretisation& part);

/// What Model::set_up returned on each rank becomes one: ghosts have the values of their owners, all have one level.
/// Collective.
void complete_dirichlet(Discretisation& part);

/// Cells of a part as a discretisation of their own, for operators without a matrix: those without ghosts, whose dofs
/// are all that the rank owns; or those with ghosts, whose dofs are some that it owns, `own`, and behind these all
/// ghosts.
struct CellsOfPart {
  Discretisation space;
  std::vector<Index> own;  ///< dofs of the part
};
CellsOfPart cells_without_ghosts(const Discretisation& part);
CellsOfPart cells_with_ghosts(const Discretisation& part);

/// u [rows of the whole] on the root from those that each rank owns. Collective.
std::vector<double> gather_solution(const Discretisation& part, const Discretisation& whole,
                                    std::span<const double> owned);

/// "ranks" of the summary: how many there are, and what each has. Collective.
void summarise_ranks(const Discretisation& part, output::Summary& summary);

}  // namespace tessera::physics
