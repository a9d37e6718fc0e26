#pragma once
// Set-up of edge loops for either backend; the colouring itself is on the host (edge_strategies.cpp).
#include <algorithm>

#include "assembly/edge/loop.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

/// Starts of the slices of the nodes' lists, [slices + 1].
std::vector<Offset> list_starts(const std::vector<std::uint16_t>& degree, Index slice);
/// Counts the marked items before each word.
void count_marks(std::vector<MarkWord>& words);
/// Colours edges (CUDA) or chunks of edges (threads) and says in which order edges stand; see EdgeLoop.
std::vector<Index> colour_edges(const EdgeList<Device>& edges, EdgeLoop<Device>& loop);
std::vector<Index> colour_edges(const EdgeList<Host>& edges, EdgeLoop<Host>& loop);

inline constexpr std::uint32_t no_edge = 0xffffffffu;

/// Places of an edge in the lists of its ends. Rows of the matrix have the diagonal besides, so i's lists lack one
/// slot before it.
struct EdgePlaces {
  linalg::RowLayout lists;
  const Index* i;
  const Index* j;
  const std::uint16_t* slot_ij;
  const std::uint16_t* slot_ji;

  TESSERA_HD Offset at_i(Offset edge) const { return lists.first(i[edge]) + (slot_ij[edge] - 1) * lists.step(); }
  TESSERA_HD Offset at_j(Offset edge) const { return lists.first(j[edge]) + slot_ji[edge] * lists.step(); }
};

/// edge_end[entry] = 2 edge + is_j; no_edge in the padding.
template <class Exec>
void list_edge_ends(Exec& exec, EdgePlaces places, Offset edges, View<std::uint32_t> edge_end) {
  for_each(exec, edge_end.size(), [=] TESSERA_HD(Offset entry) { edge_end[entry] = no_edge; });
  for_each(exec, edges, [=] TESSERA_HD(Offset edge) {
    edge_end[places.at_i(edge)] = static_cast<std::uint32_t>(2 * edge);
    edge_end[places.at_j(edge)] = static_cast<std::uint32_t>(2 * edge + 1);
  });
}

/// Bits of the items whose edge is marked. edge_of[item]: the edge in its upper bits (shift), no_edge: none.
template <class Exec>
void gather_marks(Exec& exec, const MarkWord* edge_marks, View<const std::uint32_t> edge_of, int shift,
                  View<MarkWord> words) {
  for_each(exec, words.size(), [=] TESSERA_HD(Offset w) {
    std::uint32_t bits = 0;
    for (int bit = 0; bit < 32 && 32 * w + bit < edge_of.size(); ++bit) {
      const std::uint32_t code = edge_of[32 * w + bit];
      if (code == no_edge) continue;
      const std::uint32_t edge = code >> shift;
      bits |= (edge_marks[edge / 32].bits >> edge % 32 & 1u) << bit;
    }
    words[w] = {bits, 0};
  });
}

/// Marks of items that stand for edges, numbered; returns how many are marked.
template <class Exec>
Offset make_item_marks(Exec& exec, const MarkWord* edge_marks, View<const std::uint32_t> edge_of, int shift,
                       Array<MarkWord, typename Exec::Space>& marks) {
  using Space = typename Exec::Space;
  Array<MarkWord, Space> words((edge_of.size() + 31) / 32);
  gather_marks(exec, edge_marks, edge_of, shift, words.view());
  exec.synchronize();
  std::vector<MarkWord> host = to_vector(words);
  count_marks(host);
  marks = to_space<Space>(host);
  Offset marked = 0;
  if (!host.empty()) marked = host.back().rank(31) + (host.back().bits >> 31);
  return marked;
}

/// Where a copy of an edge's coefficients goes.
struct CoefficientTarget {
  int dim;
  CoefficientsView from;
  double* c;
  Offset stride;
  const MarkWord* boundary;
  double* boundary_c;
  Offset boundary_stride;
  double* mass;
  double* stiffness;

  TESSERA_HD void copy(Offset edge, Offset item) const {
    for (int d = 0; d < dim; ++d) c[d * stride + item] = from.c[d * from.stride + edge];
    mass[item] = from.mass[edge];
    stiffness[item] = from.stiffness[edge];
    const MarkWord word = boundary[item / 32];
    const int bit = static_cast<int>(item % 32), from_bit = static_cast<int>(edge % 32);
    if (!(word.bits >> bit & 1u)) return;
    const Offset to = word.rank(bit), place = from.boundary[edge / 32].rank(from_bit);
    for (int d = 0; d < dim; ++d)
      boundary_c[d * boundary_stride + to] = from.boundary_c[d * from.boundary_stride + place];
  }
};

template <class Space>
CoefficientTarget coefficient_target(const EdgeList<Space>& list, Coefficients<Space>& to) {
  const CoefficientsView sizes = to.view(list.dim);
  return {list.dim,
          list.coefficients.view(list.dim),
          to.c.data(),
          sizes.stride,
          to.boundary.data(),
          to.boundary_c.data(),
          sizes.boundary_stride,
          to.mass.data(),
          to.stiffness.data()};
}

template <class Space>
void allocate(Coefficients<Space>& to, int dim, Offset items, Offset marked) {
  to.c = Array<double, Space>(dim * items);
  to.boundary_c = Array<double, Space>(dim * marked);
  to.mass = Array<double, Space>(items);
  to.stiffness = Array<double, Space>(items);
}

/// Copies every edge's coefficients to both of its places.
template <class Exec>
void copy_to_lists(Exec& exec, EdgePlaces places, Offset edges, CoefficientTarget target) {
  for_each(exec, edges, [=] TESSERA_HD(Offset edge) {
    target.copy(edge, places.at_i(edge));
    target.copy(edge, places.at_j(edge));
  });
}

template <class Exec>
void list_neighbours(Exec& exec, EdgePlaces places, Offset edges, View<Index> neighbour) {
  for_each(exec, neighbour.size(), [=] TESSERA_HD(Offset entry) { neighbour[entry] = 0; });
  for_each(exec, edges, [=] TESSERA_HD(Offset edge) {
    neighbour[places.at_i(edge)] = places.j[edge];
    neighbour[places.at_j(edge)] = places.i[edge];
  });
}

template <class Space>
EdgePlaces edge_places(const EdgeList<Space>& edges, const NodeLists<Space>& lists) {
  return {lists.layout(), edges.i.data(), edges.j.data(), edges.slot_ij.data(), edges.slot_ji.data()};
}

template <class Exec>
void set_up_lists(Exec& exec, const EdgeList<typename Exec::Space>& edges, EdgeLoop<typename Exec::Space>& loop) {
  using Space = typename Exec::Space;
  NodeLists<Space>& lists = loop.lists;
  const std::vector<std::uint16_t> degree = to_vector(edges.degree);
  const std::vector<Offset> starts = list_starts(degree, edges.slice);
  lists.starts = to_space<Space>(starts);
  lists.slice = edges.slice;
  lists.entries = starts.back();
  lists.longest = degree.empty() ? 0 : *std::max_element(degree.begin(), degree.end());
  lists.edge_end = Array<std::uint32_t, Space>(lists.entries);
  const EdgePlaces places = edge_places(edges, lists);
  list_edge_ends(exec, places, edges.edges, lists.edge_end.view());
  if (loop.strategy == EdgeStrategy::nodes) {
    const Offset marked =
        make_item_marks(exec, edges.coefficients.boundary.data(), View<const std::uint32_t>(lists.edge_end.view()), 1,
                        lists.coefficients.boundary);
    lists.edge_end = {};
    lists.neighbour = Array<Index, Space>(lists.entries);
    list_neighbours(exec, places, edges.edges, lists.neighbour.view());
    allocate(lists.coefficients, edges.dim, lists.entries, marked);
  }
}

/// Edges in the order of their colours.
template <class Exec>
void place_by_colour(Exec& exec, const Index* order, const EdgeListView& from, Index* i, Index* j,
                     std::uint16_t* slot_ij, std::uint16_t* slot_ji) {
  for_each(exec, from.edges, [=] TESSERA_HD(Offset place) {
    const Index edge = order[place];
    i[place] = from.i[edge];
    j[place] = from.j[edge];
    slot_ij[place] = from.slot_ij[edge];
    slot_ji[place] = from.slot_ji[edge];
  });
}

template <class Exec>
void copy_by_colour(Exec& exec, Offset edges, const Index* order, CoefficientTarget target) {
  for_each(exec, edges, [=] TESSERA_HD(Offset place) { target.copy(order[place], place); });
}

template <class Exec>
void set_up_colours(Exec& exec, const EdgeList<typename Exec::Space>& edges, EdgeLoop<typename Exec::Space>& loop) {
  using Space = typename Exec::Space;
  const std::vector<Index> order = colour_edges(edges, loop);
  if (order.empty()) return;  // edges stay where they are
  loop.order = to_space<Space>(order);
  EdgeList<Space>& to = loop.coloured;
  to.dim = edges.dim;
  to.nodes = edges.nodes;
  to.edges = edges.edges;
  for (Array<Index, Space>* nodes : {&to.i, &to.j}) *nodes = Array<Index, Space>(edges.edges);
  for (Array<std::uint16_t, Space>* slots : {&to.slot_ij, &to.slot_ji})
    *slots = Array<std::uint16_t, Space>(edges.edges);
  place_by_colour(exec, loop.order.data(), edges.view(), to.i.data(), to.j.data(), to.slot_ij.data(),
                  to.slot_ji.data());
  const View<const std::uint32_t> edge_of(reinterpret_cast<const std::uint32_t*>(loop.order.data()), edges.edges);
  const Offset marked = make_item_marks(exec, edges.coefficients.boundary.data(), edge_of, 0, to.coefficients.boundary);
  allocate(to.coefficients, edges.dim, edges.edges, marked);
}

template <class Exec>
EdgeLoop<typename Exec::Space> make_edge_loop(Exec& exec, const EdgeList<typename Exec::Space>& edges,
                                              EdgeStrategy strategy) {
  EdgeLoop<typename Exec::Space> loop;
  loop.strategy = strategy;
  loop.edges = &edges;
  if (strategy == EdgeStrategy::nodes || strategy == EdgeStrategy::two_pass) set_up_lists(exec, edges, loop);
  if (strategy == EdgeStrategy::colour) set_up_colours(exec, edges, loop);
  refresh_edge_loop(exec, loop);
  exec.synchronize();
  return loop;
}

template <class Exec>
void refresh_edge_loop(Exec& exec, EdgeLoop<typename Exec::Space>& loop) {
  const auto& edges = *loop.edges;
  if (loop.strategy == EdgeStrategy::nodes)
    copy_to_lists(exec, edge_places(edges, loop.lists), edges.edges,
                  coefficient_target(edges, loop.lists.coefficients));
  if (!loop.order.empty())
    copy_by_colour(exec, edges.edges, loop.order.data(), coefficient_target(edges, loop.coloured.coefficients));
}

}  // namespace tessera::assembly
