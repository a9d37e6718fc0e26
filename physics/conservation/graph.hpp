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
    coefficients.load<assembly::edge_data::c>(entry, edge, j < i);
    return edge;
  }
  /// c_ij of it, read once by the kernel; returns whether c_ji = -c_ij.
  template <int dim>
  TESSERA_HD_INLINE bool read_c(Offset entry, Index i, Index j, double (&c)[dim]) const {
    for (int d = 0; d < dim; ++d) {
      const double a = load_once(coefficients.c + d * coefficients.stride + entry);
      c[d] = j < i ? -a : a;
    }
    const assembly::MarkWord word = coefficients.boundary[entry / 32];
    const int bit = static_cast<int>(entry % 32);
    if (!(word.bits >> bit & 1u)) return true;
    const Offset place = word.rank(bit);
    for (int d = 0; d < dim; ++d) c[d] += coefficients.boundary_c[d * coefficients.boundary_stride + place];
    return false;
  }
};

template <class Space>
GraphView view_of(const Graph<Space>& graph) {
  const assembly::NodeLists<Space>& lists = graph.loop.lists;
  return {lists.layout(), graph.edges.degree.data(), lists.neighbour.data(), lists.coefficients.view(graph.edges.dim),
          graph.edges.node_lumped_mass.data()};
}

}  // namespace tessera::physics::conservation
