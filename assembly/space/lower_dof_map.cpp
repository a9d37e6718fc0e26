#include "assembly/space/lower_dof_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "assembly/space/face_frame.hpp"
#include "assembly/space/first_cells.hpp"
#include "assembly/space/places.hpp"
#include "base/array.hpp"
#include "base/error.hpp"
#include "base/team.hpp"
#include "base/touch.hpp"

namespace tessera::assembly {
namespace {

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
  void fill(const Index* dofs, View<const Index> number, Index* out) const;
};

/// out [nodes of the lower order]: vertices are ranked by their dofs, so edges and faces are seen as in make_dof_map.
void Pair::fill(const Index* dofs, View<const Index> number, Index* out) const {
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

}  // namespace

DofMap lower_dof_map(const DofMap& higher, int order, int threads) {
  std::vector<Index> none;
  return lower_dof_map(higher, order, threads, 1, none);
}

DofMap lower_dof_map(const DofMap& higher, int order, int threads, int components, std::vector<Index>& fixed) {
  if (order < 1 || order >= higher.order)
    throw Error(ExitCode::internal, fmt::format("order {} is not below order {}", order, higher.order),
                "ask for an order from 1 on that is lower");
  if (threads <= 0) threads = default_threads();
  DofMap result;
  result.order = order;
  result.nodes = higher.nodes;
  std::vector<Pair> pairs;
  for (const DofBlock& block : higher.blocks) pairs.emplace_back(higher, block, order);
  // What the lower order has in the part that begins with a dof; then the number of the first of these.
  Array<Index> numbers(Offset{higher.dofs} + 1);
  touch_pages(numbers.data(), numbers.bytes(), threads);
  const View<Index> number = numbers.view();
  parallel_for(threads, number.size(), [=](Offset dof) { number[dof] = 0; });
  for (std::size_t b = 0; b < pairs.size(); ++b)
    parallel_for(threads, higher.blocks[b].cells(), [&](Index c) {
      pairs[b].each(higher.blocks[b].cell(c), [&](Index first, int count) {
        if (std::atomic_ref known(number[first]); known.load(std::memory_order_relaxed) != count)
          known.store(count, std::memory_order_relaxed);  // every writer writes the same
      });
    });
  Threads exec(threads);
  sum_before(exec, number);
  result.dofs = number[higher.dofs];
  for (std::size_t b = 0; b < pairs.size(); ++b) {
    const DofBlock& block = higher.blocks[b];
    const int nodes = pairs[b].low.nodes;
    std::vector<Index> own;
    resize_by_all(own, static_cast<std::size_t>(block.cells()) * nodes, threads);
    parallel_for(threads, block.cells(),
                 [&](Index c) { pairs[b].fill(block.cell(c), number, own.data() + Offset{c} * nodes); });
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
