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

/// Entries of the edges at a node: first, first + step, ..., `count` of them. Hot loops run over them by themselves:
/// what a lambda captures by reference goes through memory.
struct RowEntries {
  Offset first, step;
  int count;
};

/// The coefficients of an edge from i to j.
template <int dim, class Real = double>
struct EdgeCoefficients {
  Real c_ij[dim], c_ji[dim];
};

/// What rows read; coefficients of one kind of number. Where they are float, c and both masses are those of the edges
/// over one number, by which no result depends on the unit of length.
template <class Real>
struct GraphViewOf {
  linalg::RowLayout lists;
  const std::uint16_t* degree = nullptr;
  const Index* neighbour = nullptr;
  const Real* c = nullptr;  ///< [dim, stride], as in assembly::CoefficientsView
  Offset stride = 0;
  const assembly::MarkWord* boundary = nullptr;
  const Real* boundary_c = nullptr;  ///< [dim, boundary_stride]
  Offset boundary_stride = 0;
  const Real* mass = nullptr;           ///< [entries] m_ij
  const double* lumped_mass = nullptr;  ///< [nodes seen] m_i

  using Entries = RowEntries;
  TESSERA_HD_INLINE Entries at(Index node) const { return {lists.first(node), lists.step(), degree[node]}; }
  /// The neighbour of edge e, which stands at `entry`, 0 behind the last one: read an edge ahead, so that what is read
  /// of the neighbour does not wait for its number.
  TESSERA_HD_INLINE Index ahead(const Entries& edges, int e, Offset entry) const {
    return e < edges.count ? load_once(neighbour + entry) : 0;
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
  TESSERA_HD_INLINE EdgeCoefficients<dim, Real> edge(Offset entry, Index i, Index j) const {
    EdgeCoefficients<dim, Real> edge;
    for (int d = 0; d < dim; ++d) {
      const Real a = c[d * stride + entry];
      edge.c_ij[d] = j < i ? -a : a;
      edge.c_ji[d] = -edge.c_ij[d];
    }
    add_boundary<dim>(entry, edge.c_ij, edge.c_ji);
    return edge;
  }
  /// c, as it stands at `entry`, becomes c_ij; returns whether c_ji = -c_ij.
  template <int dim>
  TESSERA_HD_INLINE bool turn_c(Offset entry, Index i, Index j, Real (&c)[dim]) const {
    for (int d = 0; d < dim; ++d) c[d] = j < i ? -c[d] : c[d];
    return !add_boundary<dim>(entry, c, nullptr);
  }

 private:
  /// Adds what an edge has on the boundary, which is the same of both; returns whether there is something.
  template <int dim>
  TESSERA_HD_INLINE bool add_boundary(Offset entry, Real (&c_ij)[dim], Real* c_ji) const {
    const auto place_of_bit = static_cast<std::uint64_t>(entry);  // without a sign it is two shifts
    const assembly::MarkWord word = boundary[place_of_bit / 32];
    const int bit = static_cast<int>(place_of_bit % 32);
    if (!(word.bits >> bit & 1u)) return false;
    const Offset place = word.rank(bit);
    for (int d = 0; d < dim; ++d) {
      const Real b = boundary_c[d * boundary_stride + place];
      c_ij[d] += b;
      if (c_ji) c_ji[d] += b;
    }
    return true;
  }
};
using GraphView = GraphViewOf<double>;

template <class Space>
GraphView view_of(const Graph<Space>& graph) {
  const assembly::NodeLists<Space>& lists = graph.loop.lists;
  const assembly::CoefficientsView of = lists.coefficients.view(graph.edges.dim);
  return {lists.layout(),
          graph.edges.degree.data(),
          lists.neighbour.data(),
          of.c,
          of.stride,
          of.boundary,
          of.boundary_c,
          of.boundary_stride,
          of.mass,
          graph.edges.node_lumped_mass.data()};
}

}  // namespace tessera::physics::conservation
