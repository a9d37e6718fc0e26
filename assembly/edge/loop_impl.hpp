#pragma once
// Edge loops for either backend. Include edge_loop_threads.hpp or edge_loop_cuda.cuh where edge functions are
// instantiated.
#include "assembly/edge/loop.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

/// What differs between backends: `Add` (atomic +=), `colours` (the order of coloured edges) and `gather` (the
/// strategy nodes).
template <class Exec>
struct EdgeBackend;

/// Checks that throw Error(internal).
void check_edge_function(int function_dim, int edges_dim);
void check_nodal_values(Offset values, int components, Index nodes);
void check_matrix_values(Offset values, int matrices, Offset entries);
[[noreturn]] void throw_no_atomic_combine();

template <class F>
inline constexpr bool has_combine = requires(double a) {
  F::combine(0, a, a);
};

/// Takes one contribution into a node's sum.
template <class F>
TESSERA_HD inline void take(double& sum, int c, double value) {
  if constexpr (has_combine<F>)
    sum = F::combine(c, sum, value);
  else
    sum += value;
}

template <class F>
inline constexpr int edge_inputs = F::inputs > 0 ? F::inputs : 1;

/// Sums into a vector [outputs, nodes].
struct VectorTarget {
  static constexpr bool matrix = false;
  double* f;
  Offset stride;
  TESSERA_HD double& sum(Index node, int c) const { return f[c * stride + node]; }
};

/// Sums into the diagonals of matrices [outputs, entries] and writes the entries beside them.
struct MatrixTarget {
  static constexpr bool matrix = true;
  double* values;
  Offset stride;
  linalg::RowLayout layout;
  const std::uint16_t* node_slot;
  TESSERA_HD double& entry(Index row, Index slot, int c) const {
    return values[c * stride + layout.first(row) + slot * layout.step()];
  }
  TESSERA_HD double& sum(Index node, int c) const { return entry(node, node_slot[node], c); }
};

template <class F>
inline constexpr bool has_state = requires {
  typename F::State;
};

/// What an edge function sees of a node: its components, or the State made of them.
template <class F>
struct EdgeInput {
  double u[edge_inputs<F>] = {};

  TESSERA_HD void take(const F&, const double (&from)[edge_inputs<F>]) {
    for (int c = 0; c < F::inputs; ++c) u[c] = from[c];
  }
  TESSERA_HD const double (&get() const)[edge_inputs<F>] { return u; }
};
template <class F>
requires requires { typename F::State; }
struct EdgeInput<F> {
  typename F::State state;

  TESSERA_HD void take(const F& function, const double (&from)[edge_inputs<F>]) { state = function.state(from); }
  TESSERA_HD const typename F::State& get() const { return state; }
};

/// Reads a node's components [inputs, nodes].
template <class F>
TESSERA_HD inline void load_input(const F& function, const double* u, Offset nodes, Index node, EdgeInput<F>& input) {
  double values[edge_inputs<F>];
  for (int c = 0; c < F::inputs; ++c) values[c] = u[c * nodes + node];
  input.take(function, values);
}

/// An edge's contributions.
template <class F, bool matrix>
struct EdgeValues {
  double i[F::outputs], j[F::pairing == Pairing::general ? F::outputs : 1];
  double a_ij[matrix ? F::outputs : 1], a_ji[matrix ? F::outputs : 1];

  TESSERA_HD void evaluate(const F& function, const EdgeAt<F::dim>& edge, const EdgeInput<F>& u_i,
                           const EdgeInput<F>& u_j) {
    if constexpr (matrix && F::pairing == Pairing::general)
      function(edge, u_i.get(), u_j.get(), a_ij, a_ji, i, j);
    else if constexpr (matrix)
      function(edge, u_i.get(), u_j.get(), a_ij, a_ji, i);
    else if constexpr (F::pairing == Pairing::general)
      function(edge, u_i.get(), u_j.get(), i, j);
    else
      function(edge, u_i.get(), u_j.get(), i);
  }
  /// What the edge's j gets.
  TESSERA_HD double at_j(int c) const {
    if constexpr (F::pairing == Pairing::general) return j[c];
    return F::pairing == Pairing::antisymmetric ? -i[c] : i[c];
  }
};

/// The node's own term.
template <class F>
TESSERA_HD inline void start_node(const F& function, const EdgeListView& list, const EdgeInput<F>& u, Index node,
                                  double (&sum)[F::outputs]) {
  if constexpr (has_node_term<F>)
    function.at_node(list.node<F::node_needs, F::dim>(node), u.get(), sum);
  else
    for (int c = 0; c < F::outputs; ++c) sum[c] = 0;
}

/// First pass of the strategies that add in place.
template <class F, class Target>
struct StartNodes {
  F function;
  EdgeListView list;
  const double* u;
  Target target;

  TESSERA_HD void operator()(Offset index) const {
    const Index node = static_cast<Index>(index);
    EdgeInput<F> own{};
    double sum[F::outputs];
    if constexpr (has_node_term<F>) load_input(function, u, list.nodes, node, own);
    start_node<F>(function, list, own, node, sum);
    for (int c = 0; c < F::outputs; ++c) target.sum(node, c) = sum[c];
  }
};

/// nodes: one node evaluates all its edges, itself the first end.
template <class F>
struct GatherNode {
  F function;
  EdgeListView list;
  linalg::RowLayout lists;
  const Index* neighbour;
  CoefficientsView coefficients;
  const double* u;

  /// `at_a_time` edges are loaded together, so that their waits overlap; the last of a list stands in for those beyond
  /// its end.
  template <int at_a_time, class Target>
  TESSERA_HD void gather(Index node, const Target& target) const {
    EdgeInput<F> own{};
    double sum[F::outputs];
    load_input(function, u, list.nodes, node, own);
    start_node<F>(function, list, own, node, sum);
    const Offset first = lists.first(node), step = lists.step();
    const int degree = list.degree[node];
    for (int k = 0; k < degree; k += at_a_time) {
      Index other[at_a_time];
      Neighbour neighbours[at_a_time];
#pragma unroll
      for (int e = 0; e < at_a_time; ++e) other[e] = neighbour[first + entry_of(k + e, degree) * step];
#pragma unroll
      for (int e = 0; e < at_a_time; ++e)
        neighbours[e].load(*this, node, other[e], first + entry_of(k + e, degree) * step);
#pragma unroll
      for (int e = 0; e < at_a_time; ++e)
        if (e == 0 || k + e < degree) add_edge(neighbours[e], k + e, own, sum, target);
    }
    for (int c = 0; c < F::outputs; ++c) target.sum(node, c) = sum[c];
  }

  TESSERA_HD static int entry_of(int k, int degree) { return k < degree ? k : degree - 1; }

  /// What memory has of an edge and its other end.
  struct Neighbour {
    EdgeAt<F::dim> edge;
    double u[edge_inputs<F>];

    TESSERA_HD void load(const GatherNode& from, Index node, Index other, Offset entry) {
      edge.i = node;
      edge.j = other;
      for (int c = 0; c < F::inputs; ++c) u[c] = from.u[c * Offset{from.list.nodes} + other];
      from.coefficients.template load<F::needs>(entry, edge, other < node);
    }
  };

  template <class Target>
  TESSERA_HD void add_edge(const Neighbour& neighbour, int k, const EdgeInput<F>& own, double (&sum)[F::outputs],
                           const Target& target) const {
    const EdgeAt<F::dim>& edge = neighbour.edge;
    EdgeInput<F> other;
    other.take(function, neighbour.u);
    EdgeValues<F, Target::matrix> values;
    values.evaluate(function, edge, own, other);
    for (int c = 0; c < F::outputs; ++c) take<F>(sum[c], c, values.i[c]);
    if constexpr (Target::matrix)  // the diagonal stands between the lower and the higher neighbours
      for (int c = 0; c < F::outputs; ++c) target.entry(edge.i, edge.j < edge.i ? k : k + 1, c) = values.a_ij[c];
  }
};

/// GatherNode as a body of for_each.
template <class F, class Target>
struct GatherInto {
  GatherNode<F> gather;
  Target target;
  TESSERA_HD void operator()(Offset node) const { gather.template gather<1>(static_cast<Index>(node), target); }
};

/// One edge on its own: what the strategies by edges share.
template <class F, class Target>
struct EdgeWork {
  F function;
  EdgeListView list;
  const double* u;
  Target target;

  TESSERA_HD EdgeValues<F, Target::matrix> operator()(Offset item, EdgeAt<F::dim>& edge) const {
    edge.i = list.i[item];
    edge.j = list.j[item];
    EdgeInput<F> u_i, u_j;
    load_input(function, u, list.nodes, edge.i, u_i);
    load_input(function, u, list.nodes, edge.j, u_j);
    list.coefficients.load<F::needs>(item, edge);
    EdgeValues<F, Target::matrix> values;
    values.evaluate(function, edge, u_i, u_j);
    if constexpr (Target::matrix)
      for (int c = 0; c < F::outputs; ++c) {
        target.entry(edge.i, list.slot_ij[item], c) = values.a_ij[c];
        target.entry(edge.j, list.slot_ji[item], c) = values.a_ji[c];
      }
    return values;
  }
};

/// two_pass, first: contributions into buffer [outputs (i), outputs (j) where they differ, edges].
template <class F, class Target>
struct WriteEdge {
  EdgeWork<F, Target> work;
  double* buffer;

  TESSERA_HD void operator()(Offset item) const {
    EdgeAt<F::dim> edge;
    const auto values = work(item, edge);
    const Offset edges = work.list.edges;
    for (int c = 0; c < F::outputs; ++c) buffer[c * edges + item] = values.i[c];
    if constexpr (F::pairing == Pairing::general)
      for (int c = 0; c < F::outputs; ++c) buffer[(F::outputs + c) * edges + item] = values.j[c];
  }
};

/// two_pass, second: a node adds what its edges wrote, in the order of its list.
template <class F, class Target>
struct ReduceNode {
  F function;
  EdgeListView list;
  linalg::RowLayout lists;
  const std::uint32_t* edge_end;
  const double* buffer;
  const double* u;
  Target target;

  TESSERA_HD void operator()(Offset index) const {
    const Index node = static_cast<Index>(index);
    EdgeInput<F> own{};
    double sum[F::outputs];
    if constexpr (has_node_term<F>) load_input(function, u, list.nodes, node, own);
    start_node<F>(function, list, own, node, sum);
    const Offset first = lists.first(node), step = lists.step(), edges = list.edges;
    const int degree = list.degree[node];
    for (int k = 0; k < degree; ++k) {
      const std::uint32_t end = edge_end[first + k * step];
      const Offset edge = end >> 1;
      const bool is_j = end & 1u;
      for (int c = 0; c < F::outputs; ++c) {
        const double value = buffer[(F::pairing == Pairing::general && is_j ? F::outputs + c : c) * edges + edge];
        take<F>(sum[c], c, F::pairing == Pairing::antisymmetric && is_j ? -value : value);
      }
    }
    for (int c = 0; c < F::outputs; ++c) target.sum(node, c) = sum[c];
  }
};

/// colour and atomic: += at both ends.
template <class F, class Target, class Add>
struct AddEdge {
  EdgeWork<F, Target> work;

  TESSERA_HD void operator()(Offset item) const {
    EdgeAt<F::dim> edge;
    const auto values = work(item, edge);
    for (int c = 0; c < F::outputs; ++c) {
      Add::template add<F>(work.target.sum(edge.i, c), c, values.i[c]);
      Add::template add<F>(work.target.sum(edge.j, c), c, values.at_j(c));
    }
  }
};

/// += of edges that share no node with others at work.
struct PlainAdd {
  template <class F>
  TESSERA_HD static void add(double& sum, int c, double value) {
    take<F>(sum, c, value);
  }
};

template <class Space>
EdgeListView coloured_view(const EdgeLoop<Space>& loop) {
  EdgeListView view = loop.edges->view();
  if (loop.coloured.i.empty()) return view;
  const EdgeListView coloured = loop.coloured.view();
  view.i = coloured.i;
  view.j = coloured.j;
  view.coefficients = coloured.coefficients;
  view.slot_ij = coloured.slot_ij;
  view.slot_ji = coloured.slot_ji;
  return view;
}

template <class Exec, class F, class Target>
void run_edge_loop(Exec& exec, EdgeLoop<typename Exec::Space>& loop, const F& function, const double* u,
                   const Target& target) {
  const EdgeListView list = loop.edges->view();
  if (loop.strategy == EdgeStrategy::nodes) {
    EdgeBackend<Exec>::gather(exec, loop.lists.longest,
                              GatherNode<F>{function, list, loop.lists.layout(), loop.lists.neighbour.data(),
                                            loop.lists.coefficients.view(F::dim), u},
                              target);
    return;
  }
  if (loop.strategy == EdgeStrategy::two_pass) {
    const Offset size = Offset{list.edges} * F::outputs * (F::pairing == Pairing::general ? 2 : 1);
    if (loop.buffer.size() < size) {
      exec.synchronize();  // a loop before may still read the smaller one
      loop.buffer = Array<double, typename Exec::Space>(size);
    }
    for_each(exec, list.edges, WriteEdge<F, Target>{{function, list, u, target}, loop.buffer.data()});
    for_each(exec, list.nodes,
             ReduceNode<F, Target>{function, list, loop.lists.layout(), loop.lists.edge_end.data(), loop.buffer.data(),
                                   u, target});
    return;
  }
  if (has_combine<F> && loop.strategy == EdgeStrategy::atomic) throw_no_atomic_combine();
  for_each(exec, list.nodes, StartNodes<F, Target>{function, list, u, target});
  if (loop.strategy == EdgeStrategy::atomic)
    for_each(exec, list.edges, AddEdge<F, Target, typename EdgeBackend<Exec>::Add>{{function, list, u, target}});
  else
    EdgeBackend<Exec>::colours(exec, loop, AddEdge<F, Target, PlainAdd>{{function, coloured_view(loop), u, target}});
}

template <class Exec, class F>
void run_edges(Exec& exec, EdgeLoop<typename Exec::Space>& loop, const F& function, View<const double> u,
               View<double> f) {
  check_edge_function(F::dim, loop.edges->dim);
  check_nodal_values(u.size(), F::inputs, loop.edges->nodes);
  check_nodal_values(f.size(), F::outputs, loop.edges->nodes);
  run_edge_loop(exec, loop, function, u.data(), VectorTarget{f.data(), loop.edges->nodes});
}

template <class Exec, class G>
void assemble_edges(Exec& exec, EdgeLoop<typename Exec::Space>& loop, const G& function, View<const double> u,
                    linalg::RowLayout layout, View<double> values) {
  check_edge_function(G::dim, loop.edges->dim);
  check_nodal_values(u.size(), G::inputs, loop.edges->nodes);
  check_matrix_values(values.size(), G::outputs, 2 * Offset{loop.edges->edges} + loop.edges->nodes);
  const Offset stride = values.size() / G::outputs;
  run_edge_loop(exec, loop, function, u.data(),
                MatrixTarget{values.data(), stride, layout, loop.edges->node_slot.data()});
}

}  // namespace tessera::assembly
