#include "mesh/numbering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/team.hpp"
#include "mesh/facets.hpp"
#include "mesh/metis_child.hpp"

namespace tessera::mesh {
namespace {

/// Breadth-first levels from `start` over unnumbered nodes; returns the depth and leaves the visited nodes in `order`.
struct LevelSearch {
  const Adjacency& graph;
  std::vector<Index>& mark;  // the stamp of the last search that saw a node
  Index stamp = 0;
  std::vector<Index> order;
  std::size_t last_level = 0;  // where the last level starts in `order`

  int run(Index start) {
    ++stamp;
    order.assign(1, start);
    mark[start] = stamp;
    int depth = 0;
    for (std::size_t first = 0; first < order.size(); ++depth) {
      last_level = first;
      const std::size_t last = order.size();
      for (; first < last; ++first)
        for (Index next : graph[order[first]])
          if (mark[next] != stamp) {
            mark[next] = stamp;
            order.push_back(next);
          }
    }
    return depth;
  }
};

Index degree(const Adjacency& graph, Index v) { return static_cast<Index>(graph.ptr[v + 1] - graph.ptr[v]); }

/// A node of nearly greatest eccentricity in the component of `start` (George and Liu, algorithm 4.4.2).
Index pseudo_peripheral(LevelSearch& search, Index start) {
  int depth = search.run(start);
  constexpr int most_searches = 4;
  for (int i = 0; i < most_searches; ++i) {
    Index candidate = search.order[search.last_level];
    for (std::size_t k = search.last_level; k < search.order.size(); ++k)
      if (degree(search.graph, search.order[k]) < degree(search.graph, candidate)) candidate = search.order[k];
    const int deeper = search.run(candidate);
    if (deeper <= depth) return candidate;
    depth = deeper;
    start = candidate;
  }
  return start;
}

/// new_number of cells: within each block ascending by least node, ties in the old order.
std::vector<Index> by_least_node(const Mesh& mesh) {
  std::vector<Index> new_number(static_cast<std::size_t>(mesh.cells()));
  for (const CellBlock& block : mesh.blocks) {
    const Index cells = block.cells();
    // Counting sort: least nodes are numbers below mesh.nodes().
    std::vector<Index> least(static_cast<std::size_t>(cells));
    std::vector<Index> start(static_cast<std::size_t>(mesh.nodes()) + 1);
    parallel_for(default_threads(), cells,
                 [&](Index c) { least[c] = *std::min_element(block.cell(c), block.cell(c) + block.nodes_per_cell); });
    for (Index v : least) ++start[v + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (Index c = 0; c < cells; ++c) new_number[block.first_cell + c] = block.first_cell + start[least[c]]++;
  }
  return new_number;
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
    if (group.dim != mesh.dim - 1) return;
    for (Index& facet : group.entities) facet = new_facet[facet];
    std::sort(group.entities.begin(), group.entities.end());
  });
}

}  // namespace

std::vector<Index> rcm(const Adjacency& graph) {
  const Index n = graph.size();
  std::vector<Index> order;  // Cuthill-McKee order, and the queue of its breadth-first walk
  order.reserve(static_cast<std::size_t>(n));
  std::vector<Index> mark(static_cast<std::size_t>(n), 0);
  std::vector<char> numbered(static_cast<std::size_t>(n), 0);
  LevelSearch search{graph, mark, 0, {}, 0};
  std::vector<Index> next;
  for (Index seed = 0; seed < n; ++seed) {
    if (numbered[seed]) continue;
    const Index start = pseudo_peripheral(search, seed);
    std::size_t head = order.size();
    order.push_back(start);
    numbered[start] = 1;
    for (; head < order.size(); ++head) {
      next.clear();
      for (Index v : graph[order[head]])
        if (!numbered[v]) {
          numbered[v] = 1;
          next.push_back(v);
        }
      std::sort(next.begin(), next.end(), [&](Index a, Index b) {
        const Index da = degree(graph, a), db = degree(graph, b);
        return da != db ? da < db : a < b;
      });
      order.insert(order.end(), next.begin(), next.end());
    }
  }
  std::vector<Index> new_number(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) new_number[order[i]] = n - 1 - i;
  return new_number;
}

std::vector<Index> nested_dissection(const Adjacency& graph, const std::function<bool()>& stop) {
  if (graph.size() == 0) return {};
  return metis_nested_dissection("numbering the mesh", graph, stop);
}

void renumber_cells(Mesh& mesh, std::span<const Index> new_number) {
  if (new_number.size() != static_cast<std::size_t>(mesh.cells()) || !is_permutation(new_number))
    throw Error(ExitCode::internal, "renumber_cells: not a permutation of the cells");
  for (CellBlock& block : mesh.blocks) {
    std::vector<Index> nodes(block.nodes.size());
    for (Index c = 0; c < block.cells(); ++c) {
      const Index target = new_number[block.first_cell + c] - block.first_cell;
      if (target < 0 || target >= block.cells())
        throw Error(ExitCode::internal, "renumber_cells: a cell would leave its block");
      std::copy_n(block.cell(c), block.nodes_per_cell,
                  nodes.begin() + static_cast<Offset>(target) * block.nodes_per_cell);
    }
    block.nodes = std::move(nodes);
  }
  renumber_facets(mesh, new_number);
  for_each_group(mesh, [&](Group& group) {
    if (group.dim != mesh.dim) return;
    for (Index& cell : group.entities) cell = new_number[cell];
    std::sort(group.entities.begin(), group.entities.end());
  });
}

void renumber_nodes(Mesh& mesh, std::span<const Index> new_number) {
  if (new_number.size() != static_cast<std::size_t>(mesh.nodes()) || !is_permutation(new_number))
    throw Error(ExitCode::internal, "renumber_nodes: not a permutation of the nodes");
  std::vector<double> points(mesh.points.size());
  for (Index v = 0; v < mesh.nodes(); ++v)
    std::copy_n(mesh.point(v), 3, points.begin() + 3 * static_cast<Offset>(new_number[v]));
  mesh.points = std::move(points);
  for (CellBlock& block : mesh.blocks)
    for (Index& node : block.nodes) node = new_number[node];
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
  for (Index i : numbers)
    if (i < 0 || i >= static_cast<Index>(numbers.size()) || std::exchange(seen[i], 1)) return false;
  return true;
}

}  // namespace tessera::mesh
