#pragma once
#include <span>
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Lists of neighbours: those of i are items[ptr[i] .. ptr[i+1]), ascending.
struct Adjacency {
  std::vector<Offset> ptr;
  std::vector<Index> items;

  Index size() const { return static_cast<Index>(ptr.size()) - 1; }
  std::span<const Index> operator[](Index i) const {
    return {items.data() + ptr[i], static_cast<std::size_t>(ptr[i + 1] - ptr[i])};
  }
};

/// Cells around each node (all nodes, or the vertices of the cells only).
Adjacency node_cells(const Mesh& mesh, bool vertices_only = false);
/// Nodes that share a cell with each node, without the node itself: the graph of a Lagrange matrix of the geometric
/// order.
Adjacency node_nodes(const Mesh& mesh);
/// Cells across each facet: the dual graph.
Adjacency cell_cells(const Mesh& mesh);

}  // namespace tessera::mesh
