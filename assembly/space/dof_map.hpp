#pragma once
#include <span>
#include <vector>

#include "assembly/space/element.hpp"
#include "mesh/mesh.hpp"

namespace tessera::assembly {

/// Dofs of the cells of a block, [cells, nodes] by rows: numbers of its own, or the nodes of the mesh where these are
/// the dofs. Then the mesh must outlive it and stay as it is.
class CellDofs {
 public:
  CellDofs() = default;
  explicit CellDofs(std::vector<Index> own) : own_(std::move(own)) {}
  explicit CellDofs(const mesh::CellBlock& nodes) : nodes_(nodes.nodes) {}
  /// Those of others, which must outlive it.
  static CellDofs borrowed(const CellDofs& other) {
    CellDofs result;
    result.nodes_ = other.view();
    return result;
  }

  std::span<const Index> view() const { return own_.empty() ? nodes_ : std::span<const Index>(own_); }
  const Index* data() const { return view().data(); }
  std::size_t size() const { return view().size(); }
  auto begin() const { return view().begin(); }
  auto end() const { return view().end(); }
  Index operator[](std::size_t i) const { return view()[i]; }

 private:
  std::vector<Index> own_;
  std::span<const Index> nodes_;
};

/// Dofs of the cells of one mesh block, in the same order as the mesh's blocks.
struct DofBlock {
  mesh::Shape shape = mesh::Shape::tet;
  int geometry_order = 1;
  int nodes = 4;  ///< dofs per cell
  CellDofs dofs;  ///< [cells, nodes], row-major; local order: that of DofMap::element(shape)
  Index first_cell = 0;

  Index cells() const { return static_cast<Index>(dofs.size() / static_cast<std::size_t>(nodes)); }
  const Index* cell(Index local) const { return dofs.data() + static_cast<std::size_t>(local) * nodes; }
};

/// Continuous Lagrange space on a mesh.
struct DofMap {
  int order = 1;
  LineNodes nodes = LineNodes::standard;
  Index dofs = 0;
  std::vector<DofBlock> blocks;
  std::vector<Index> vertex_dofs;  ///< [mesh nodes]: dof of a vertex, -1 for nodes that are no vertex of a cell

  const DofBlock& block_of(Index cell) const;
  const Element& element(mesh::Shape shape) const { return lagrange(shape, order, nodes); }
  /// Whether the nodes of all cells are.
  bool is_equispaced() const;
};

/// Numbers the dofs of the continuous Lagrange space of an order that the shapes have (see largest_order); the
/// geometric order of the mesh does not matter. Order 1: dofs follow the node order of the vertices. Higher orders:
/// each vertex is followed by the dofs inside those edges, faces and cells of which it is the lowest vertex, so the
/// numbering is as local as that of the mesh's nodes. Shared edges run from the lower to the higher node number and
/// shared faces are framed by node numbers, so neighbours agree whatever their orientation. Throws Error(usage) for
/// another order, Error(mesh) when the dofs exceed 32-bit numbers. Where the dofs are the nodes, the map borrows them.
DofMap make_dof_map(const mesh::Mesh& mesh, int order, int threads = 0, LineNodes nodes = LineNodes::standard);

/// Where the dofs lie, [dofs, 3].
std::vector<double> dof_points(const mesh::Mesh& mesh, const DofMap& dofs);

/// Where the dofs would lie on equispaced elements, [dofs, 3]: what a file format of Lagrange cells assumes.
std::vector<double> equispaced_dof_points(const mesh::Mesh& mesh, const DofMap& dofs);

/// Values at equispaced_dof_points of a nodal field u [dofs, components]: the field itself, where elements are so.
std::vector<double> equispaced_values(const DofMap& dofs, std::span<const double> u, int components = 1);

/// Sorted, unique dofs on a group of any dimension: cells, facets, curves in 3-D, points.
std::vector<Index> facet_dofs(const mesh::Mesh& mesh, const DofMap& dofs, const mesh::Group& group);

/// Dofs on exterior facets, sorted and unique.
std::vector<Index> exterior_dofs(const mesh::Mesh& mesh, const DofMap& dofs);

}  // namespace tessera::assembly
