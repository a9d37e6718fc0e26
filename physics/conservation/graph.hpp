#pragma once
// The rows of the node graph as the passes of the scheme read them.
#include "assembly/edge/loop.hpp"
#include "base/load_once.hpp"

namespace tessera::physics::conservation {

/// Edges at each node in a list of its own, with their coefficients: EdgeStrategy::nodes of assembly/edge.
template <class Space>
struct Graph {
  assembly::EdgeList<Space> edges;
  assembly::EdgeLoop<Space> loop;
};

struct GraphView {
  linalg::RowLayout lists;
  const std::uint16_t* degree = nullptr;
  const Index* neighbour = nullptr;
  assembly::CoefficientsView coefficients;
  const double* lumped_mass = nullptr;

  /// Entries of the edges at a node: first, first + step, ..., `count` of them. Hot loops run over them by themselves:
  /// what a lambda captures by reference goes through memory.
  struct Entries {
    Offset first, step;
    int count;
  };
  TESSERA_HD_INLINE Entries at(Index node) const { return {lists.first(node), lists.step(), degree[node]}; }
  /// The neighbour of edge e, 0 behind the last one: read an edge ahead, so that what is read of the neighbour does not
  /// wait for its number.
  TESSERA_HD_INLINE Index ahead(const Entries& edges, int e) const {
    return e < edges.count ? load_once(neighbour + edges.first + e * edges.step) : 0;
  }
  /// visit(entry, neighbour) of each edge at the node.
  template <class Visit>
  TESSERA_HD_INLINE void each(Index node, Visit visit) const {
    const Entries entries = at(node);
    for (int k = 0; k < entries.count; ++k) {
      const Offset entry = entries.first + k * entries.step;
      visit(entry, neighbour[entry]);
    }
  }
  /// The coefficients c of the edge that stands at `entry` of the list of i. An edge on the boundary has a c_ji of its
  /// own.
  template <int dim>
  TESSERA_HD_INLINE assembly::EdgeAt<dim> edge(Offset entry, Index i, Index j) const {
    assembly::EdgeAt<dim> edge;
    if (coefficients.boundary[entry / 32].bits >> (entry % 32) & 1u) {
      coefficients.load<assembly::edge_data::c>(entry, edge, j < i);
      return edge;
    }
    for (int d = 0; d < dim; ++d) {
      const double a = load_once(coefficients.c + d * coefficients.stride + entry);
      edge.c_ij[d] = j < i ? -a : a;
      edge.c_ji[d] = -edge.c_ij[d];
    }
    return edge;
  }
};

template <class Space>
GraphView view_of(const Graph<Space>& graph) {
  const assembly::NodeLists<Space>& lists = graph.loop.lists;
  return {lists.layout(), graph.edges.degree.data(), lists.neighbour.data(), lists.coefficients.view(graph.edges.dim),
          graph.edges.node_lumped_mass.data()};
}

}  // namespace tessera::physics::conservation
