#include "assembly/space/lower_dof_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <numeric>

#include "assembly/space/face_frame.hpp"
#include "assembly/space/first_cells.hpp"
#include "assembly/space/places.hpp"
#include "base/array.hpp"
#include "base/error.hpp"
#include "base/team.hpp"
#include "base/touch.hpp"

namespace tessera::assembly {
namespace {

/// The numbers of the dofs of a lower order. In which dofs of the higher one a part begins that has some of the lower
/// is a bit each, one set of bits for each number that a part may have; so what is before a dof are some counts of
/// bits. (kinds + 1/2) / 8 B a dof of the higher order.
class Numbers {
 public:
  /// `counts`: what a part may have.
  Numbers(std::vector<int> counts, Index dofs, int threads)
      : counts_(std::move(counts)), threads_(threads), before_(dofs / bits_of_word + 2) {
    bits_ = Array<std::uint64_t>((before_.size() - 1) * kinds());
    parallel_for(threads, bits_.size(), [bits = bits_.view()](Offset i) { bits[i] = 0; });
  }

  int kind_of(int count) const {
    return static_cast<int>(std::find(counts_.begin(), counts_.end(), count) - counts_.begin());
  }
  /// A part with counts[kind] of the lower order begins with this dof. Of any thread, as often as one likes.
  void mark(Index dof, int kind) {
    const std::atomic_ref word(bits_.view()[dof / bits_of_word * kinds() + kind]);
    if (const std::uint64_t bit = bit_of(dof); (word.load(std::memory_order_relaxed) & bit) == 0)
      word.fetch_or(bit, std::memory_order_relaxed);
  }
  /// After all of them.
  void add_up() {
    Threads exec(threads_);
    const View<Index> before = before_.view();
    parallel_for(threads_, before.size(),
                 [&](Offset word) { before[word] = word + 1 < before.size() ? weight(word, ~std::uint64_t{0}) : 0; });
    sum_before(exec, before);
  }
  /// How many dofs of the lower order are before this dof of the higher one.
  Index operator[](Index dof) const {
    return before_.view()[dof / bits_of_word] + weight(dof / bits_of_word, bit_of(dof) - 1);
  }

 private:
  static constexpr int bits_of_word = 64;
  static std::uint64_t bit_of(Index dof) { return std::uint64_t{1} << (dof % bits_of_word); }
  Offset kinds() const { return static_cast<Offset>(counts_.size()); }
  Index weight(Offset word, std::uint64_t mask) const {
    Index sum = 0;
    for (Offset kind = 0; kind < kinds(); ++kind)
      sum += counts_[static_cast<std::size_t>(kind)] * std::popcount(bits_.view()[word * kinds() + kind] & mask);
    return sum;
  }

  std::vector<int> counts_;
  int threads_;
  Array<Index> before_;        ///< [words + 1]
  Array<std::uint64_t> bits_;  ///< [words, kinds]
};

/// A part of a cell whose inside has dofs of its own, in both orders: the local nodes from `high` and from `low`.
struct Part {
  int high = 0, high_count = 0;
  int low = 0, low_count = 0;
};

/// The elements of a block in both orders, and their parts.
struct Pair {
  const Element& high;
  const Element& low;
  const mesh::Topology& topology;
  int vertices;
  std::vector<Part> edges, faces;
  std::vector<const Element*> face_elements;  ///< of the lower order
  Part inside;

  Pair(const DofMap& higher, const DofBlock& block, int order)
      : high(higher.element(block.shape)),
        low(lagrange(block.shape, order, higher.nodes)),
        topology(mesh::topology(block.shape)),
        vertices(mesh::vertex_count(block.shape)),
        inside{high.interior_first, high.interior(), low.interior_first, low.interior()} {
    const auto parts = [](const std::vector<int>& of_high, const std::vector<int>& of_low, std::vector<Part>& to) {
      for (std::size_t i = 0; i + 1 < of_high.size(); ++i)
        to.push_back({of_high[i], of_high[i + 1] - of_high[i], of_low[i], of_low[i + 1] - of_low[i]});
    };
    if (high.dim > 1) parts(high.edge_first, low.edge_first, edges);
    if (high.dim == 3) parts(high.face_first, low.face_first, faces);
    for (std::size_t f = 0; f < faces.size(); ++f)
      face_elements.push_back(&lagrange(topology.facets[f].shape, order, higher.nodes));
  }

  /// The first dof inside a part of a cell: they are consecutive, in whatever order the cell has them.
  static Index first(const Index* dofs, const Part& part) {
    Index least = dofs[part.high];
    for (int i = 1; i < part.high_count; ++i) least = std::min(least, dofs[part.high + i]);
    return least;
  }
  /// visit(first dof of the higher order, dofs of the lower one) of each part that has some of these.
  template <class Visit>
  void each(const Index* dofs, Visit visit) const {
    for (int v = 0; v < vertices; ++v) visit(dofs[v], 1);
    for (const std::vector<Part>* parts : {&edges, &faces})
      for (const Part& part : *parts)
        if (part.low_count > 0) visit(first(dofs, part), part.low_count);
    if (inside.low_count > 0) visit(dofs[inside.high], inside.low_count);
  }
  /// What parts have of the lower order.
  void add_counts(std::vector<int>& counts) const {
    const auto add = [&](int count) {
      if (count > 0 && std::find(counts.begin(), counts.end(), count) == counts.end()) counts.push_back(count);
    };
    add(1);
    for (const std::vector<Part>* parts : {&edges, &faces})
      for (const Part& part : *parts) add(part.low_count);
    add(inside.low_count);
  }
  void fill(const Index* dofs, const Numbers& number, Index* out) const;
};

/// out [nodes of the lower order]: vertices are ranked by their dofs, so edges and faces are seen as in make_dof_map.
void Pair::fill(const Index* dofs, const Numbers& number, Index* out) const {
  for (int v = 0; v < vertices; ++v) out[v] = number[dofs[v]];
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Part& part = edges[e];
    if (part.low_count == 0) continue;
    const Index begin = number[first(dofs, part)];
    const bool along = dofs[topology.edges[e][0]] < dofs[topology.edges[e][1]];
    for (int j = 0; j < part.low_count; ++j) out[part.low + j] = begin + (along ? j : part.low_count - 1 - j);
  }
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const Part& part = faces[f];
    if (part.low_count == 0) continue;
    const Index begin = number[first(dofs, part)];
    std::array<int, (max_order - 1) * (max_order - 1)> position{};
    if (part.low_count > 1) {
      std::array<Index, 4> corner{};
      for (int i = 0; i < mesh::vertex_count(topology.facets[f].shape); ++i)
        corner[i] = dofs[topology.facets[f].vertices[i]];
      permute_face(*face_elements[f], canonical_frame(face_elements[f]->shape, corner.data()), position.data());
    }
    for (int j = 0; j < part.low_count; ++j) out[part.low + j] = begin + position[j];
  }
  for (int j = 0; j < inside.low_count; ++j) out[inside.low + j] = number[dofs[inside.high]] + j;
}

/// Whether all nodes of a mesh are vertices whose dofs ascend with them: then they are the dofs of order 1.
bool nodes_are_dofs(const DofMap& higher, const mesh::Mesh& mesh, int threads) {
  const std::vector<Index>& dof = higher.vertex_dofs;
  if (std::any_of(mesh.blocks.begin(), mesh.blocks.end(), [](const auto& cells) { return cells.order > 1; }))
    return false;
  std::atomic<bool> all = true;
  parallel_for(threads, static_cast<Offset>(dof.size()), [&](Offset i) {
    const auto node = static_cast<std::size_t>(i);
    if (dof[node] < 0 || (node > 0 && dof[node] <= dof[node - 1])) all.store(false, std::memory_order_relaxed);
  });
  return all;
}

/// The map of order 1 where nodes_are_dofs.
DofMap map_of_nodes(const DofMap& higher, const mesh::Mesh& mesh, int components, std::vector<Index>& fixed) {
  const std::vector<Index>& vertex = higher.vertex_dofs;
  DofMap result;
  result.nodes = higher.nodes;
  result.dofs = mesh.nodes();
  for (const mesh::CellBlock& cells : mesh.blocks)
    result.blocks.push_back({cells.shape, cells.order, cells.nodes_per_cell, CellDofs(cells), cells.first_cell});
  result.vertex_dofs.resize(vertex.size());
  std::iota(result.vertex_dofs.begin(), result.vertex_dofs.end(), Index{0});
  std::vector<Index> rows;
  for (const Index row : fixed)
    if (const auto found = std::lower_bound(vertex.begin(), vertex.end(), row / components);
        found != vertex.end() && *found == row / components)
      rows.push_back(static_cast<Index>(found - vertex.begin()) * components + row % components);
  fixed = std::move(rows);
  return result;
}

}  // namespace

DofMap lower_dof_map(const DofMap& higher, int order, int threads) {
  std::vector<Index> none;
  return lower_dof_map(higher, order, threads, 1, none);
}

DofMap lower_dof_map(const DofMap& higher, int order, int threads, int components, std::vector<Index>& fixed,
                     const mesh::Mesh* mesh) {
  if (order < 1 || order >= higher.order)
    throw Error(ExitCode::internal, fmt::format("order {} is not below order {}", order, higher.order),
                "ask for an order from 1 on that is lower");
  if (threads <= 0) threads = default_threads();
  if (mesh && order == 1 && nodes_are_dofs(higher, *mesh, threads))
    return map_of_nodes(higher, *mesh, components, fixed);
  DofMap result;
  result.order = order;
  result.nodes = higher.nodes;
  std::vector<Pair> pairs;
  for (const DofBlock& block : higher.blocks) pairs.emplace_back(higher, block, order);
  std::vector<int> counts;
  for (const Pair& pair : pairs) pair.add_counts(counts);
  Numbers number(counts, higher.dofs, threads);
  for (std::size_t b = 0; b < pairs.size(); ++b)
    parallel_for(threads, higher.blocks[b].cells(), [&, own = &pairs[b], block = &higher.blocks[b]](Offset c) {
      own->each(block->cell(static_cast<Index>(c)),
                [&](Index first, int count) { number.mark(first, number.kind_of(count)); });
    });
  number.add_up();
  result.dofs = number[higher.dofs];
  for (std::size_t b = 0; b < pairs.size(); ++b) {
    const DofBlock& block = higher.blocks[b];
    const int nodes = pairs[b].low.nodes;
    std::vector<Index> own;
    resize_by_all(own, static_cast<std::size_t>(block.cells()) * nodes, threads);
    parallel_for(threads, block.cells(),
                 [&](Offset c) { pairs[b].fill(block.cell(static_cast<Index>(c)), number, own.data() + c * nodes); });
    result.blocks.push_back({block.shape, block.geometry_order, nodes, CellDofs(std::move(own)), block.first_cell});
  }
  resize_by_all(result.vertex_dofs, higher.vertex_dofs.size(), threads);
  parallel_for(threads, static_cast<Offset>(higher.vertex_dofs.size()), [&](Offset node) {
    const Index dof = higher.vertex_dofs[node];
    result.vertex_dofs[node] = dof < 0 ? -1 : number[dof];
  });
  std::vector<Index> rows;
  for (const Index row : fixed) {
    const Index dof = row / components;  // only the first one of its part has some of the lower order
    for (Index lower = number[dof]; lower < number[dof + 1]; ++lower)
      rows.push_back(lower * components + row % components);
  }
  std::sort(rows.begin(), rows.end());
  fixed = std::move(rows);
  return result;
}

std::vector<double> at_lower_nodes(const DofMap& higher, const DofMap& lower, std::span<const double> u) {
  const std::vector<Index> first = first_cells(lower);
  std::vector<double> result(static_cast<std::size_t>(lower.dofs)), at_vertices, linear, phi, dphi;
  for (std::size_t b = 0; b < lower.blocks.size(); ++b) {
    const DofBlock &of_higher = higher.blocks[b], &of_lower = lower.blocks[b];
    const Element& straight = lagrange(of_lower.shape, 1);
    // [vertices, nodes of the higher order], [nodes of the lower order, vertices], and their product
    tabulate(higher.element(of_higher.shape), straight.node_points, at_vertices, dphi);
    tabulate(straight, lower.element(of_lower.shape).node_points, linear, dphi);
    const auto nodes = static_cast<std::size_t>(of_higher.nodes);
    const std::size_t vertices = at_vertices.size() / nodes;
    phi.assign(static_cast<std::size_t>(of_lower.nodes) * nodes, 0.0);
    for (std::size_t i = 0; i < linear.size(); ++i)
      for (std::size_t j = 0; j < nodes; ++j)
        phi[i / vertices * nodes + j] += linear[i] * at_vertices[i % vertices * nodes + j];
    parallel_for(default_threads(), of_lower.cells(), [&](Index cell) {
      const Index *from = of_higher.cell(cell), *to = of_lower.cell(cell);
      for (int i = 0; i < of_lower.nodes; ++i) {
        if (first[to[i]] != of_lower.first_cell + cell) continue;
        const double* const basis = &phi[static_cast<std::size_t>(i) * nodes];
        double sum = 0;
        for (std::size_t j = 0; j < nodes; ++j) sum += basis[j] * u[static_cast<std::size_t>(from[j])];
        result[static_cast<std::size_t>(to[i])] = sum;
      }
    });
  }
  return result;
}

}  // namespace tessera::assembly
