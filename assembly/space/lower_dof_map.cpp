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
#include "assembly/space/lower_parts.hpp"
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

/// Where the nodes inside a face stand, seen in each frame that frame_number counts.
void add_positions(const Element& face, std::vector<int>& positions) {
  const int corners = mesh::vertex_count(face.shape);
  std::vector<int> position(static_cast<std::size_t>(face.interior()));
  for (int origin = 0; origin < corners; ++origin)
    for (const bool swapped : {false, true}) {
      const bool triangle = corners == 3;
      const int next = triangle ? (origin == 0 ? 1 : 0) : (origin + 1) % 4;
      const int other = triangle ? (origin == 2 ? 1 : 2) : (origin + 3) % 4;
      permute_face(face, {origin, swapped ? other : next, swapped ? next : other}, position.data());
      positions.insert(positions.end(), position.begin(), position.end());
    }
}

}  // namespace

void check_lower_order(const DofMap& higher, int order) {
  if (order < 1 || order >= higher.order)
    throw Error(ExitCode::internal, fmt::format("order {} is not below order {}", order, higher.order),
                "ask for an order from 1 on that is lower");
}

LowerParts lower_parts(const DofMap& higher, const DofBlock& block, int order, std::vector<int>& counts) {
  const Element &high = higher.element(block.shape), &low = lagrange(block.shape, order, higher.nodes);
  const mesh::Topology& topology = mesh::topology(block.shape);
  LowerParts result{high.nodes, low.nodes, {}, {}};
  const auto add = [&](CellPart part, std::span<const std::int8_t> corners) {
    if (part.low_count == 0) return;
    const auto known = std::find(counts.begin(), counts.end(), part.low_count);
    part.kind = static_cast<int>(known - counts.begin());
    if (known == counts.end()) counts.push_back(part.low_count);
    part.corners = static_cast<int>(corners.size());
    std::copy(corners.begin(), corners.end(), part.corner);
    result.parts.push_back(part);
  };
  const auto between = [](const std::vector<int>& of_high, const std::vector<int>& of_low, std::size_t i) {
    return CellPart{.high = of_high[i],
                    .high_count = of_high[i + 1] - of_high[i],
                    .low = of_low[i],
                    .low_count = of_low[i + 1] - of_low[i]};
  };
  for (int v = 0; v < mesh::vertex_count(block.shape); ++v) add({.high = v, .low = v}, {});
  for (std::size_t e = 0; high.dim > 1 && e + 1 < high.edge_first.size(); ++e)
    add(between(high.edge_first, low.edge_first, e), topology.edges[e]);
  for (std::size_t f = 0; high.dim == 3 && f + 1 < high.face_first.size(); ++f) {
    CellPart part = between(high.face_first, low.face_first, f);
    const mesh::Shape shape = topology.facets[f].shape;
    if (part.low_count > 1) {
      part.positions = static_cast<int>(result.positions.size());
      add_positions(lagrange(shape, order, higher.nodes), result.positions);
    }
    add(part, std::span(topology.facets[f].vertices).first(static_cast<std::size_t>(mesh::vertex_count(shape))));
  }
  add({.high = high.interior_first, .low = low.interior_first, .low_count = low.interior()}, {});
  return result;
}

std::optional<DofMap> map_of_nodes(const DofMap& higher, const mesh::Mesh& mesh, int threads, int components,
                                   std::vector<Index>& fixed) {
  if (!nodes_are_dofs(higher, mesh, threads)) return {};
  const std::vector<Index>& vertex = higher.vertex_dofs;
  DofMap result;
  result.nodes = higher.nodes;
  result.dofs = mesh.nodes();
  for (const mesh::CellBlock& cells : mesh.blocks)
    result.blocks.push_back({cells.shape, cells.order, cells.nodes_per_cell, CellDofs(cells), cells.first_cell});
  result.vertex_dofs.resize(vertex.size());
  std::iota(result.vertex_dofs.begin(), result.vertex_dofs.end(), Index{0});
  std::vector<Index> rows;
  std::size_t node = 0;
  for (const Index row : fixed) {  // they ascend, as the dofs of vertices do
    while (node < vertex.size() && vertex[node] < row / components) ++node;
    if (node < vertex.size() && vertex[node] == row / components)
      rows.push_back(static_cast<Index>(node) * components + row % components);
  }
  fixed = std::move(rows);
  return result;
}

DofMap lower_dof_map(const DofMap& higher, int order, int threads) {
  std::vector<Index> none;
  return lower_dof_map(higher, order, threads, 1, none);
}

DofMap lower_dof_map(const DofMap& higher, int order, int threads, int components, std::vector<Index>& fixed,
                     const mesh::Mesh* mesh) {
  check_lower_order(higher, order);
  if (threads <= 0) threads = default_threads();
  if (mesh && order == 1)
    if (std::optional<DofMap> of_nodes = map_of_nodes(higher, *mesh, threads, components, fixed))
      return std::move(*of_nodes);
  DofMap result;
  result.order = order;
  result.nodes = higher.nodes;
  std::vector<LowerParts> parts;
  std::vector<int> counts;
  for (const DofBlock& block : higher.blocks) parts.push_back(lower_parts(higher, block, order, counts));
  Numbers number(counts, higher.dofs, threads);
  for (std::size_t b = 0; b < parts.size(); ++b)
    parallel_for(threads, higher.blocks[b].cells(), [&, own = &parts[b], block = &higher.blocks[b]](Offset c) {
      const Index* const dofs = block->cell(static_cast<Index>(c));
      for (const CellPart& part : own->parts) number.mark(first_dof(part, dofs), part.kind);
    });
  number.add_up();
  result.dofs = number[higher.dofs];
  for (std::size_t b = 0; b < parts.size(); ++b) {
    const DofBlock& block = higher.blocks[b];
    const int nodes = parts[b].low_nodes;
    std::vector<Index> own;
    resize_by_all(own, static_cast<std::size_t>(block.cells()) * nodes, threads);
    parallel_for(threads, block.cells(), [&, of = &parts[b]](Offset c) {
      const Index* const dofs = block.cell(static_cast<Index>(c));
      for (const CellPart& part : of->parts)
        write_part(part, of->positions.data(), dofs, number[first_dof(part, dofs)], own.data() + c * nodes);
    });
    result.blocks.push_back({block.shape, block.geometry_order, nodes, CellDofs(std::move(own)), block.first_cell});
  }
  resize_by_all(result.vertex_dofs, higher.vertex_dofs.size(), threads);
  parallel_for(threads, static_cast<Offset>(higher.vertex_dofs.size()), [&](Offset node) {
    const Index dof = higher.vertex_dofs[node];
    result.vertex_dofs[node] = dof < 0 ? -1 : number[dof];
  });
  std::vector<Index> begin, end;
  for (const Index row : fixed) {
    begin.push_back(number[row / components]);
    end.push_back(number[row / components + 1]);
  }
  fixed = lower_rows(fixed, components, begin, end);
  return result;
}

std::vector<Index> lower_rows(std::span<const Index> rows, int components, std::span<const Index> begin,
                              std::span<const Index> end) {
  std::vector<Index> result;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (Index lower = begin[i]; lower < end[i]; ++lower) result.push_back(lower * components + rows[i] % components);
  std::sort(result.begin(), result.end());
  return result;
}

MapOnBackend<Host> lower_dof_map_on(Threads&, const DofMap& higher, CellLists<Host>&, int order, int threads,
                                    int components, std::vector<Index>& fixed, const mesh::Mesh* mesh) {
  return {lower_dof_map(higher, order, threads, components, fixed, mesh), {}};
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
