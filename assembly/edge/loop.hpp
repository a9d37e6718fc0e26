#pragma once
#include <string>
#include <vector>

#include "assembly/edge/list.hpp"
#include "linalg/crs.hpp"

namespace tessera::assembly {

/// How the two ends of an edge meet in a node's sum.
enum class EdgeStrategy {
  nodes,     ///< each node evaluates all its edges: every edge twice, nothing written but the result
  two_pass,  ///< edges write their contributions, then each node adds its own in a fixed order
  colour,    ///< edges of one colour share no node: one launch a colour, += in place
  atomic,    ///< += in place with atomics: the order varies, so results are repeatable only to round-off
};
struct EdgeStrategyEntry {
  EdgeStrategy strategy;
  const char* name;
  const char* help;
};
/// The table of names.
const std::vector<EdgeStrategyEntry>& edge_strategies();
const char* name(EdgeStrategy strategy);
/// Throws Error(usage) for an unknown name, listing the valid ones.
EdgeStrategy edge_strategy_from_name(const std::string& name);

/// What an edge gives its ends.
enum class Pairing {
  antisymmetric,  ///< f_j = -f_i: a flux
  symmetric,      ///< f_j = f_i
  general
};

// An edge function F says what physics does on one edge; see edge_functions.hpp for examples. It is a small trivially
// copyable struct with
//
//   static constexpr int dim, inputs, outputs;      // components of u and f at a node
//   static constexpr unsigned needs;                // edge_data::c | ...: what it reads of an edge
//   static constexpr Pairing pairing;
//   TESSERA_HD void operator()(const EdgeAt<dim>&, const double (&u_i)[inputs], const double (&u_j)[inputs],
//                              double (&f_i)[outputs], double (&f_j)[outputs]) const;     // pairing general
//   TESSERA_HD void operator()(..., double (&f_i)[outputs]) const;                        // the others: f_j follows
//
// It assigns f. The ends are alike: exchanging i and j exchanges the results (to round-off), and either may come first.
// Where a node has a term of its own (0 otherwise),
//
//   static constexpr unsigned node_needs;
//   TESSERA_HD void at_node(const NodeAt<dim>&, const double (&u)[inputs], double (&f)[outputs]) const;
//
// where much follows from u alone (pressure, speed of sound), a State that then stands for u_i, u_j and u above,
//
//   struct State;
//   TESSERA_HD State state(const double (&u)[inputs]) const;
//
// and, where contributions are not added (a maximum, say; the atomic strategy refuses it),
//
//   TESSERA_HD static double combine(int component, double a, double b);
//
// A matrix function G fills `outputs` matrices of one sparsity at once (1, or blocks x blocks); the diagonal is summed:
//
//   TESSERA_HD void operator()(const EdgeAt<dim>&, u_i, u_j, double (&a_ij)[outputs], double (&a_ji)[outputs],
//                              double (&d_i)[outputs], double (&d_j)[outputs]) const;     // the others: without d_j
//   at_node as above: the diagonal's own term.

/// The nodes' lists of edges: entry k of node i at lists.first(i) + k * lists.step(), k < degree(i), neighbours
/// ascending.
/// Slices as in EdgeList, padded to the longest list of a slice.
template <class Space>
struct NodeLists {
  Array<Offset, Space> starts;  ///< [slices + 1]
  Index slice = 1;
  Offset entries = 0;  ///< with padding
  Index longest = 0;
  Array<Index, Space> neighbour;         ///< nodes: [entries]
  Coefficients<Space> coefficients;      ///< nodes: of the edge, [components, entries]
  Array<std::uint32_t, Space> edge_end;  ///< two_pass: 2 edge + (1 where the node is the edge's j), [entries]

  linalg::RowLayout layout() const { return {starts.data(), slice}; }
};

/// An edge loop, set up for one strategy.
template <class Space>
struct EdgeLoop {
  EdgeStrategy strategy = EdgeStrategy::nodes;
  const EdgeList<Space>* edges = nullptr;  ///< borrowed
  NodeLists<Space> lists;                  ///< nodes, two_pass
  /// colour on CUDA: a copy of the edges, colour c has colour_ptr[c] .. colour_ptr[c+1).
  /// colour on threads: the edges in place; colour c has the chunks chunks[colour_ptr[c]] .. of chunk_edges
  /// consecutive ones.
  EdgeList<Space> coloured;
  Array<Index, Space> order;  ///< colour on CUDA: edge of each place
  std::vector<Offset> colour_ptr;
  std::vector<Index> chunks;
  Index chunk_edges = 0;
  Array<double, Space> buffer;  ///< two_pass: contributions, [outputs, edges]; grows at first use

  int colours() const { return strategy == EdgeStrategy::colour ? static_cast<int>(colour_ptr.size()) - 1 : 0; }
};

/// Set-up of a strategy; `edges` must outlive the loop. Throws Error(mesh) where lists are beyond their integers.
template <class Exec>
EdgeLoop<typename Exec::Space> make_edge_loop(Exec& exec, const EdgeList<typename Exec::Space>& edges,
                                              EdgeStrategy strategy);

/// Takes over coefficients that were refilled in `loop.edges`.
template <class Exec>
void refresh_edge_loop(Exec& exec, EdgeLoop<typename Exec::Space>& loop);

/// f_i = at_node(i) + sum of what its edges give it. u: [inputs, nodes], f: [outputs, nodes], column-major, distinct.
/// Throws Error(internal) for wrong sizes, and for `combine` with atomic. All strategies but atomic are bitwise
/// repeatable, on threads independent of their number.
/// Bytes: edge_loop_bytes().
template <class Exec, class F>
void run_edges(Exec& exec, EdgeLoop<typename Exec::Space>& loop, const F& function, View<const double> u,
               View<double> f);

/// Writes a_ij, a_ji and a_ii = at_node(i) + sum of d_i into the values of matrices of the edges' graph, [outputs,
/// entries];
/// `layout` says where rows stand. Off-diagonal entries belong to one edge and are written once.
template <class Exec, class G>
void assemble_edges(Exec& exec, EdgeLoop<typename Exec::Space>& loop, const G& function, View<const double> u,
                    linalg::RowLayout layout, View<double> values);

/// The same into compressed rows.
template <class Exec, class G>
void assemble_edges(Exec& exec, EdgeLoop<typename Exec::Space>& loop, const G& function, View<const double> u,
                    linalg::Crs<typename Exec::Space>& A) {
  assemble_edges(exec, loop, function, u, linalg::RowLayout{A.row_ptr.data(), 1}, A.values.view());
}

template <class F>
inline constexpr bool has_node_term = requires {
  F::node_needs;
};

/// Least traffic of run_edges in the layout of the strategy: nodes and coefficients read once, f written once;
/// two_pass writes and reads its buffer besides.
template <class F, class Space>
double edge_loop_bytes(const EdgeLoop<Space>& loop) {
  const EdgeList<Space>& list = *loop.edges;
  double bytes = 8.0 * (F::inputs + F::outputs) * list.nodes;
  if constexpr (has_node_term<F>) bytes += node_bytes(F::node_needs, F::dim) * list.nodes;
  if (loop.strategy == EdgeStrategy::nodes)  // a neighbour and its coefficients for both ends, degrees
    return bytes + 2.0 * list.edges * (4 + coefficient_bytes(F::needs, F::dim)) + 2.0 * list.nodes;
  bytes += list.edges * (8 + coefficient_bytes(F::needs, F::dim));
  if (loop.strategy == EdgeStrategy::two_pass) {
    const double kept = F::pairing == Pairing::general ? 2 * F::outputs : F::outputs;
    bytes += list.edges * (16 * kept + 8) + 2.0 * list.nodes;
  }
  return bytes;
}

/// Least traffic of assemble_edges: as above, with every entry written once; the strategies by edges read two slots
/// besides, all read the diagonals' slots and the starts of the rows.
template <class G, class Space>
double edge_matrix_bytes(const EdgeLoop<Space>& loop) {
  const EdgeList<Space>& list = *loop.edges;
  double bytes = edge_loop_bytes<G>(loop) + 10.0 * list.nodes + 16.0 * G::outputs * list.edges;
  if (loop.strategy != EdgeStrategy::nodes) bytes += 4.0 * list.edges;
  return bytes;
}

}  // namespace tessera::assembly
