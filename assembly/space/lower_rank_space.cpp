#include "assembly/space/lower_rank_space.hpp"

#include <algorithm>

#include "assembly/space/lower_dof_map.hpp"
#include "assembly/space/rank_space.hpp"
#include "base/collective.hpp"
#include "base/team.hpp"

namespace tessera::assembly {
namespace {

/// [nodes] the rank of each vertex, as its dof has it; of other nodes nothing.
std::vector<int> owners_of_nodes(const Space& space, int rank) {
  const std::span<const IndexMap::Neighbour> neighbours = space.index_map.neighbours();
  std::vector<int> owners(space.dofs.vertex_dofs.size(), -1);
  parallel_for(default_threads(), static_cast<Offset>(owners.size()), [&](Offset node) {
    const auto at = static_cast<std::size_t>(node);
    const Index dof = space.dofs.vertex_dofs[at];
    if (dof < 0) return;
    const auto beyond = [dof](const IndexMap::Neighbour& of) { return of.last <= dof; };
    owners[at] =
        dof < space.index_map.owned() ? rank : std::partition_point(neighbours.begin(), neighbours.end(), beyond)->rank;
  });
  return owners;
}

}  // namespace

Space lower_rank_space(Communicator& ranks, std::span<const Offset> cell_numbers, const Space& higher, int order,
                       int threads, std::vector<Index>& fixed) {
  const int components = higher.components;
  mesh::RankMesh part;
  DofMap dofs;
  on_each_rank(ranks, [&] {
    part.cell_numbers.assign(cell_numbers.begin(), cell_numbers.end());
    part.owners = owners_of_nodes(higher, ranks.rank());
    dofs = lower_dof_map(higher.dofs, order, threads, components, fixed);
  });
  RankSpace numbered = make_rank_space(ranks, part, std::move(dofs), components, false);
  for (Index& row : fixed)
    row = numbered.new_number[static_cast<std::size_t>(row / components)] * components + row % components;
  std::sort(fixed.begin(), fixed.end());
  return std::move(numbered.space);
}

}  // namespace tessera::assembly
