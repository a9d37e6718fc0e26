#include "physics/run/space.hpp"

#include <algorithm>

#include "assembly/space/lower_rank_space.hpp"
#include "assembly/space/periodic_dof_map.hpp"
#include "base/collective.hpp"

namespace tessera::physics {

namespace {

template <class Make>
assembly::Space with_place(const deck::Deck& deck, const PhysicsParams& physics, Make make) {
  try {
    return make();
  } catch (const Error& error) {
    if (error.where()) throw;
    const deck::Where where = deck.where("physics.order");
    throw Error(error.code(), error.what(), error.help(), where ? where : physics.where);
  }
}

/// unfolded.became of both maps.
void relate(const Discretisation& space, Unfolded& unfolded) {
  unfolded.became.resize(static_cast<std::size_t>(unfolded.dofs.dofs));
  for (std::size_t b = 0; b < unfolded.dofs.blocks.size(); ++b)
    for (std::size_t i = 0; i < unfolded.dofs.blocks[b].dofs.size(); ++i)
      unfolded.became[unfolded.dofs.blocks[b].dofs[i]] = space.dofs.blocks[b].dofs[i];
}

}  // namespace

assembly::LineNodes line_nodes(const PhysicsParams& physics, const mesh::Mesh& mesh, Communicator* ranks) {
  const auto is_product_of_lines = [](const mesh::CellBlock& cells) {
    return cells.cells() == 0 || assembly::largest_order(cells.shape) > assembly::max_simplex_order;
  };
  const bool others = !std::all_of(mesh.blocks.begin(), mesh.blocks.end(), is_product_of_lines);
  return (ranks ? any(*ranks, others) : others) ? physics.nodes : assembly::LineNodes::lobatto;
}

void make_space(const deck::Deck& deck, const PhysicsParams& physics, int components, const std::vector<Index>& same,
                assembly::LineNodes nodes, Discretisation& space) {
  const mesh::Mesh& mesh = space.mesh;
  static_cast<assembly::Space&>(space) = with_place(deck, physics, [&] {
    return assembly::Space(assembly::make_periodic_dof_map(mesh, physics.order, same, space.threads, nodes),
                           components);
  });
  space.dof_points = assembly::dof_points(mesh, space.dofs);
  if (same.empty()) return;
  Unfolded& unfolded = space.unfolded.emplace();
  static_cast<assembly::Space&>(unfolded) = with_place(deck, physics, [&] {
    return assembly::Space(assembly::make_dof_map(mesh, physics.order, space.threads, nodes), components);
  });
  unfolded.dof_points = assembly::dof_points(mesh, unfolded.dofs);
  relate(space, unfolded);
}

void make_lower_space(const Discretisation& higher, int order, Discretisation& space, const MakeLowerMap& make_map) {
  const int components = higher.components;
  space.threads = higher.threads;
  std::vector<Index> fixed = higher.dirichlet.dofs;
  if (higher.ranks) {
    space.ranks = higher.ranks;
    space.share.ranks = higher.ranks;
    space.share.cell_numbers = higher.share.cell_numbers;
    space.share.low = higher.share.low;
    space.share.high = higher.share.high;
    space.coupled = higher.coupled;
    static_cast<assembly::Space&>(space) =
        assembly::lower_rank_space(*higher.ranks, higher.share.cell_numbers, higher, order, higher.threads, fixed);
    space.dirichlet.level = 0;
  } else {
    static_cast<assembly::Space&>(space) = assembly::Space(make_map(fixed), components);
  }
  space.dirichlet.values.assign(fixed.size(), 0.0);
  space.dirichlet.dofs = std::move(fixed);
  if (order > 1 || components == 1) return;
  const auto find_points = [&] { space.dof_points = assembly::dof_points(space.mesh, space.dofs); };
  if (space.ranks)
    on_each_rank(*space.ranks, find_points);
  else
    find_points();
}

std::vector<Index> fixed_rows(const Discretisation& space) {
  if (!space.unfolded) return space.dirichlet.dofs;
  const std::vector<Index>& folded = space.dirichlet.dofs;
  std::vector<Index> result;
  for (Index dof = 0; dof < space.unfolded->dofs.dofs; ++dof)
    for (int c = 0; c < space.components; ++c)
      if (std::binary_search(folded.begin(), folded.end(), space.row(space.unfolded->became[dof], c)))
        result.push_back(space.unfolded->row(dof, c));
  return result;
}

std::vector<double> unfold(const Unfolded& unfolded, const std::vector<double>& u) {
  std::vector<double> result(static_cast<std::size_t>(unfolded.rows()));
  for (Index dof = 0; dof < unfolded.dofs.dofs; ++dof)
    for (int c = 0; c < unfolded.components; ++c)
      result[unfolded.row(dof, c)] = u[unfolded.row(unfolded.became[dof], c)];
  return result;
}

LinearSystem of_u(linalg::Crs<Host> A, Array<double> b, double level) {
  if (level != 0)
    for (Index row = 0; row < A.rows; ++row) {
      double sum = 0;
      for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) sum += A.values[k];
      b[row] += level * sum;
    }
  return {std::move(A), std::move(b)};
}

}  // namespace tessera::physics
