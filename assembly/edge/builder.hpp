#pragma once
// What the builder of edges keeps; kernels in edge_builder_impl.hpp.
#include <vector>

#include "assembly/edge/list.hpp"

namespace tessera::assembly {

/// A quadrature rule on the cells of a block.
struct EdgeRuleView {
  int points = 0;
  const double* phi = nullptr;       ///< [points, nodes]
  const double* dphi = nullptr;      ///< [points, nodes, dim]
  const double* geometry = nullptr;  ///< [cells, points, dim dim + 1]: dX_a/dx_d, then weight |det J|
};

/// One block of cells as the kernels see it.
struct EdgeBlockView {
  int nodes = 0;
  Index first_cell = 0;
  const Index* dofs = nullptr;  ///< [cells, nodes]
  /// Straight simplices: integrals over the reference cell [nodes, nodes, 1 + dim + dim dim]: phi_a phi_b, phi_a
  /// dphi_b, dphi_a dphi_b; then `affine` [cells, dim dim + 1]: dX_a/dx_d, |det J|. Null for the rest.
  const double* reference = nullptr;
  const double* affine = nullptr;
  const double* load = nullptr;  ///< [nodes]: integrals of phi_a over the reference cell, for straight simplices
  EdgeRuleView rule;             ///< for m and s, and for c where it is exact
  EdgeRuleView exact;            ///< for c where `rule` is not; no points otherwise
};

/// Tables of a rule on the host.
struct EdgeRule {
  std::vector<double> weights, phi, dphi;
  std::vector<double> map;  ///< [points, geometry nodes, dim]: derivatives of the geometric map
  int points() const { return static_cast<int>(weights.size()); }
};
struct EdgeTables {
  bool affine = false;
  EdgeRule rule, exact;
  std::vector<double> reference, load;
};
EdgeTables make_edge_tables(const mesh::CellBlock& cells, int order, LineNodes nodes);

template <class Space>
struct EdgeRuleData {
  int points = 0;
  Array<double, Space> weights, phi, dphi, map, geometry;
  EdgeRuleView view() const { return {points, phi.data(), dphi.data(), geometry.data()}; }
};

template <class Space>
struct EdgeBlockData {
  int geometry_nodes = 0;
  Array<Index, Space> dofs;
  Array<Index, Space> geometry;  ///< [cells, geometry nodes]
  Array<double, Space> reference, load, affine;
  EdgeRuleData<Space> rule, exact;
};

template <class Space>
struct EdgeBuilderState {
  const mesh::Mesh* mesh = nullptr;
  const DofMap* map = nullptr;
  std::vector<EdgeBlockData<Space>> blocks;
  Array<EdgeBlockView, Space> views;
  Array<Offset, Space> around_ptr;  ///< [dofs + 1]
  Array<Index, Space> around;       ///< cells around each dof, ascending
};

/// Cells around each dof: around[ptr[dof] .. ptr[dof+1]), numbered over all blocks, ascending.
struct DofNeighbours {
  std::vector<Offset> ptr;
  std::vector<Index> cells;
};
DofNeighbours cells_around_dofs(const DofMap& map);

/// Pairs i < j of dofs on one exterior facet, [pairs, 2], sorted and unique: there int_boundary phi_i phi_j n is not
/// zero.
std::vector<Index> boundary_pairs(const mesh::Mesh& mesh, const DofMap& map);

/// Marks of ascending `items` out of `count`.
std::vector<MarkWord> make_marks(const std::vector<Index>& items, Offset count);

/// First upper neighbour of each row among all, [rows + 1]. Throws Error(mesh) where rows or edges are beyond their
/// integers.
std::vector<Offset> count_upper(const std::vector<Offset>& row_ptr, const std::vector<std::uint16_t>& diagonal);

/// Throws Error(internal) where they do not fit the mesh.
void check_edge_params(const EdgeParams& params, Index cells);

/// Number of the k-th edge of `row` towards higher nodes in the sliced order; upper_ptr: [nodes + 1].
TESSERA_HD inline Offset edge_place(const Offset* upper_ptr, Index nodes, Index slice, Index row, Index k) {
  const Index first = row / slice * slice;
  const Index last = first + slice < nodes ? first + slice : nodes;
  Offset place = upper_ptr[first];
  for (Index r = first; r < last; ++r) {
    const Index count = static_cast<Index>(upper_ptr[r + 1] - upper_ptr[r]);
    const Index before = r < row ? k + 1 : k;
    place += count < before ? count : before;
  }
  return place;
}

}  // namespace tessera::assembly
