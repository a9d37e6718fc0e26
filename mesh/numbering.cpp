#include "mesh/numbering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/team.hpp"
#include "mesh/facets.hpp"
#include "mesh/gather_lists.hpp"
#include "mesh/metis_child.hpp"

namespace tessera::mesh {
namespace {

/// new_number of cells: within each block ascending by least node, ties in the old order.
std::vector<Index> by_least_node(const Mesh& mesh) {
  std::vector<Index> new_number(static_cast<std::size_t>(mesh.cells()));
  for (const CellBlock& block : mesh.blocks) {
    const Adjacency cells = gather_lists(mesh.nodes(), block.cells(), [&](Index c, auto put) {
      put(*std::min_element(block.cell(c), block.cell(c) + block.nodes_per_cell));
    });
    parallel_for(default_threads(), block.cells(), [&](Offset i) {
      new_number[block.first_cell + cells.items[i]] = block.first_cell + static_cast<Index>(i);
    });
  }
  return new_number;
}

/// Sorts numbers below `count`. Where they are many, threads mark each: a sort would take longer.
void sort_numbers(std::vector<Index>& numbers, Index count) {
  constexpr std::size_t few = 1 << 16;
  if (numbers.size() < few || numbers.size() < static_cast<std::size_t>(count) / 16)
    return std::sort(numbers.begin(), numbers.end());
  std::vector<Index> times(static_cast<std::size_t>(count));
  parallel_for(default_threads(), static_cast<Offset>(numbers.size()),
               [&](Offset i) { std::atomic_ref(times[numbers[i]]).fetch_add(1, std::memory_order_relaxed); });
  auto to = numbers.begin();
  for (Index i = 0; i < count; ++i) to = std::fill_n(to, times[i], i);
}

void renumber(std::vector<Index>& numbers, std::span<const Index> new_number) {
  parallel_for(default_threads(), static_cast<Offset>(numbers.size()),
               [&](Offset i) { numbers[i] = new_number[numbers[i]]; });
  sort_numbers(numbers, static_cast<Index>(new_number.size()));
}

/// Facets of a mesh whose cells have been renumbered, sorted again; groups follow.
void renumber_facets(Mesh& mesh, std::span<const Index> new_cell) {
  Facets old = std::move(mesh.facets);
  for (Index& cell : old.cell) cell = new_cell[cell];
  // An interior facet belongs to its lower-numbered cell, which may now be the other one.
  std::vector<Index> interior;
  std::vector<FacetVertices> vertices;
  for (Index f = 0; f < old.size(); ++f)
    if (!old.exterior[f]) {
      interior.push_back(f);
      vertices.push_back(side_vertices(mesh, old.cell[f], old.side[f]));
    }
  if (!interior.empty()) {
    const std::vector<Side> sides = match_facets(mesh, vertices);
    for (std::size_t i = 0; i < sides.size(); ++i) {
      old.cell[interior[i]] = sides[i].cell;
      old.side[interior[i]] = sides[i].side;
    }
  }
  std::vector<Index> order(old.cell.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return old.cell[a] != old.cell[b] ? old.cell[a] < old.cell[b] : old.side[a] < old.side[b];
  });
  Facets& facets = mesh.facets = old;
  std::vector<Index> new_facet(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    facets.cell[i] = old.cell[order[i]];
    facets.side[i] = old.side[order[i]];
    facets.exterior[i] = old.exterior[order[i]];
    new_facet[order[i]] = static_cast<Index>(i);
  }
  for_each_group(mesh, [&](Group& group) {
    if (group.dim == mesh.dim - 1) renumber(group.entities, new_facet);
  });
}

}  // namespace

std::vector<Index> nested_dissection(const Adjacency& graph, const std::function<bool()>& stop) {
  if (graph.size() == 0) return {};
  return metis_nested_dissection("numbering the mesh", graph, stop);
}

void renumber_cells(Mesh& mesh, std::span<const Index> new_number) {
  if (new_number.size() != static_cast<std::size_t>(mesh.cells()) || !is_permutation(new_number))
    throw Error(ExitCode::internal, "renumber_cells: not a permutation of the cells");
  for (CellBlock& block : mesh.blocks) {
    std::vector<Index> nodes(block.nodes.size());
    parallel_for(default_threads(), block.cells(), [&](Index c) {
      const Index target = new_number[block.first_cell + c] - block.first_cell;
      if (target < 0 || target >= block.cells())
        throw Error(ExitCode::internal, "renumber_cells: a cell would leave its block");
      std::copy_n(block.cell(c), block.nodes_per_cell,
                  nodes.begin() + static_cast<Offset>(target) * block.nodes_per_cell);
    });
    block.nodes = std::move(nodes);
  }
  renumber_facets(mesh, new_number);
  for_each_group(mesh, [&](Group& group) {
    if (group.dim == mesh.dim) renumber(group.entities, new_number);
  });
}

void renumber_nodes(Mesh& mesh, std::span<const Index> new_number) {
  if (new_number.size() != static_cast<std::size_t>(mesh.nodes()) || !is_permutation(new_number))
    throw Error(ExitCode::internal, "renumber_nodes: not a permutation of the nodes");
  std::vector<double> points(mesh.points.size());
  parallel_for(default_threads(), mesh.nodes(), [&](Index v) {
    std::copy_n(mesh.point(v), 3, points.begin() + 3 * static_cast<Offset>(new_number[v]));
  });
  mesh.points = std::move(points);
  for (CellBlock& block : mesh.blocks)
    parallel_for(default_threads(), static_cast<Offset>(block.nodes.size()),
                 [&](Offset i) { block.nodes[i] = new_number[block.nodes[i]]; });
  for_each_group(mesh, [&](Group& group) {
    for (Index& vertex : group.vertices) vertex = new_number[vertex];
  });
  renumber_cells(mesh, by_least_node(mesh));
}

void renumber_rcm(Mesh& mesh) { renumber_nodes(mesh, rcm(node_nodes(mesh))); }
void renumber_metis(Mesh& mesh, const std::function<bool()>& stop) {
  renumber_nodes(mesh, nested_dissection(node_nodes(mesh), stop));
}

Spread spread(const Mesh& mesh) {
  std::vector<Index> least(static_cast<std::size_t>(mesh.nodes()));
  std::iota(least.begin(), least.end(), 0);
  Spread result;
  for (const CellBlock& block : mesh.blocks)
    for (Index c = 0; c < block.cells(); ++c) {
      const Index* nodes = block.cell(c);
      const auto [low, high] = std::minmax_element(nodes, nodes + block.nodes_per_cell);
      result.bandwidth = std::max(result.bandwidth, *high - *low);
      for (int i = 0; i < block.nodes_per_cell; ++i) least[nodes[i]] = std::min(least[nodes[i]], *low);
    }
  for (Index v = 0; v < mesh.nodes(); ++v) result.profile += v - least[v];
  return result;
}

bool is_permutation(std::span<const Index> numbers) {
  std::vector<char> seen(numbers.size());
  std::atomic<bool> is_one = true;
  parallel_for(default_threads(), static_cast<Offset>(numbers.size()), [&](Offset i) {
    const Index number = numbers[i];
    if (number < 0 || number >= static_cast<Index>(numbers.size()) ||
        std::atomic_ref(seen[number]).exchange(1, std::memory_order_relaxed))
      is_one.store(false, std::memory_order_relaxed);
  });
  return is_one;
}

}  // namespace tessera::mesh
