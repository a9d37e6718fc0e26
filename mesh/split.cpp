#include "mesh/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "mesh/geometry.hpp"
#include "mesh/side_table.hpp"
#include "mesh/sides.hpp"

namespace tessera::mesh {
namespace {

Offset code_of(const CellSide& side) { return SideTable::code(side.cell, side.side); }

std::string place_of(const Mesh& mesh, const CellSide& side) {
  const double* const x = mesh.point(side_vertices(mesh, side.cell, side.side)[0]);
  return fmt::format("({:g}, {:g}, {:g})", x[0], x[1], x[2]);
}

/// Nodes of a side of a cell, those inside it too.
std::vector<Index> side_nodes(const Mesh& mesh, Index cell, int side) {
  const CellBlock& block = mesh.block_of(cell);
  const Index* const nodes = block.cell(cell - block.first_cell);
  std::vector<Index> result;
  for (const std::int8_t local : facet_nodes(block.shape, side, block.order)) result.push_back(nodes[local]);
  return result;
}

/// The copies that cells get of nodes.
class Copies {
 public:
  Copies(const Mesh& mesh, const std::vector<SidePair>& pairs);

  /// New numbers: [nodes] of the first of each, and how many there are of all.
  std::vector<Index> number;
  Index count = 0;
  /// The number that a cell has for an old node.
  Index of(Index cell, Index node) const {
    const auto at = std::lower_bound(uses_.begin(), uses_.end(), Use{node, cell, 0});
    const bool copied = at != uses_.end() && at->node == node && at->cell == cell;
    return number[node] + (copied ? at->copy : 0);
  }

 private:
  /// A cell that has a copy of a node.
  struct Use {
    Index node, cell, copy;
    bool operator<(const Use& other) const { return std::pair(node, cell) < std::pair(other.node, other.cell); }
  };
  Index part(Index node, std::span<const Index> cells);

  const Mesh& mesh_;
  std::vector<Offset> cut_;  ///< sides that come apart, ascending
  std::vector<Use> uses_;
};

Copies::Copies(const Mesh& mesh, const std::vector<SidePair>& pairs)
    : number(static_cast<std::size_t>(mesh.nodes())), mesh_(mesh) {
  std::vector<char> marked(number.size(), 0);
  for (const SidePair& pair : pairs)
    for (const CellSide& side : {pair.first, pair.second}) {
      cut_.push_back(code_of(side));
      for (const Index node : side_nodes(mesh, side.cell, side.side)) marked[node] = 1;
    }
  std::sort(cut_.begin(), cut_.end());
  std::vector<std::pair<Index, Index>> around;  // marked node, cell
  for (const CellBlock& block : mesh.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      for (int n = 0; n < block.nodes_per_cell; ++n)
        if (marked[block.cell(c)[n]]) around.emplace_back(block.cell(c)[n], block.first_cell + c);
  std::sort(around.begin(), around.end());
  std::vector<Index> copies(number.size(), 1), cells;
  for (std::size_t first = 0, last = 0; first < around.size(); first = last) {
    cells.clear();
    for (; last < around.size() && around[last].first == around[first].first; ++last)
      cells.push_back(around[last].second);
    copies[around[first].first] = part(around[first].first, cells);
  }
  for (std::size_t node = 0; node < number.size(); ++node) number[node] = std::exchange(count, count + copies[node]);
}

/// Cells around a node that hang together by sides with the node in them, which are not cut, share a copy. Returns how
/// many there are.
Index Copies::part(Index node, std::span<const Index> cells) {
  std::vector<std::pair<FacetVertices, std::size_t>> sides;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const int count = static_cast<int>(topology(mesh_.block_of(cells[c]).shape).facets.size());
    for (int side = 0; side < count; ++side) {
      const std::vector<Index> nodes = side_nodes(mesh_, cells[c], side);
      if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) continue;
      if (std::binary_search(cut_.begin(), cut_.end(), SideTable::code(cells[c], side))) continue;
      sides.emplace_back(sorted_key(side_vertices(mesh_, cells[c], side)), c);
    }
  }
  std::sort(sides.begin(), sides.end());
  std::vector<std::size_t> root(cells.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::size_t c) {
    while (root[c] != c) c = root[c] = root[root[c]];
    return c;
  };
  for (std::size_t s = 1; s < sides.size(); ++s) {
    if (sides[s].first != sides[s - 1].first) continue;
    const std::size_t a = find(sides[s].second), b = find(sides[s - 1].second);
    root[std::max(a, b)] = std::min(a, b);
  }
  std::vector<Index> copy(cells.size(), -1);
  Index copies = 0;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    Index& of_root = copy[find(c)];
    if (of_root < 0) of_root = copies++;
    copy[c] = of_root;
    if (copy[c] > 0) uses_.push_back({node, cells[c], copy[c]});
  }
  return copies;  // nodes come in ascending order, and their cells too: so are the uses
}

void renumber(Mesh& mesh, const Copies& copies) {
  for (CellBlock& block : mesh.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      for (int n = 0; n < block.nodes_per_cell; ++n) {
        Index& node = block.nodes[static_cast<std::size_t>(c) * block.nodes_per_cell + n];
        node = copies.of(block.first_cell + c, node);
      }
  std::vector<double> points(3 * static_cast<std::size_t>(copies.count));
  for (std::size_t node = 0; node < copies.number.size(); ++node) {
    const Index next = node + 1 < copies.number.size() ? copies.number[node + 1] : copies.count;
    for (Index to = copies.number[node]; to < next; ++to)
      std::copy_n(&mesh.points[3 * node], 3, &points[3 * static_cast<std::size_t>(to)]);
  }
  mesh.points = std::move(points);
  for_each_group(mesh, [&](Group& group) {
    for (Index& v : group.vertices) v = copies.number[v];
  });
  mesh.box_cells.fill(0);
}

/// Groups of facets by their vertices, with both sides of what came apart: pair_of [facets], -1: it did not.
std::vector<NamedFacets> named_facets(const Mesh& mesh, const std::vector<SidePair>& apart = {},
                                      const std::vector<Index>& pair_of = {}) {
  std::vector<NamedFacets> named;
  const auto add = [&](const CellSide& side) {
    named.back().facets.push_back(side_vertices(mesh, side.cell, side.side));
  };
  for (const bool is_entity : {false, true})
    for (const Group& group : is_entity ? mesh.entities : mesh.groups) {
      if (group.dim != mesh.dim - 1) continue;
      named.push_back({group.name, {}, is_entity});
      for (const Index facet : group.entities) {
        add({mesh.facets.cell[facet], mesh.facets.side[facet]});
        if (!pair_of.empty() && pair_of[facet] >= 0) add(apart[pair_of[facet]].second);
      }
    }
  return named;
}

/// The two sides, and the parts of them that belong to groups of cells.
void add_sides(const Mesh& mesh, const std::string& name, const std::vector<SidePair>& apart,
               std::vector<NamedFacets>& named) {
  const std::array<std::string, 2> names = side_names(name);
  for (const bool second : {false, true}) {
    named.push_back({names[second], {}, true});
    for (const SidePair& pair : apart) {
      const CellSide& side = second ? pair.second : pair.first;
      named.back().facets.push_back(side_vertices(mesh, side.cell, side.side));
    }
  }
  for (const Group& group : mesh.groups) {
    if (group.dim != mesh.dim) continue;
    NamedFacets own{fmt::format("{}_of_{}", name, group.name), {}, false};
    for (const SidePair& pair : apart)
      for (const CellSide& side : {pair.first, pair.second})
        if (std::binary_search(group.entities.begin(), group.entities.end(), side.cell))
          own.facets.push_back(side_vertices(mesh, side.cell, side.side));
    if (!own.facets.empty()) named.push_back(std::move(own));
  }
}

/// Facets and groups anew, in their order; new ones come last.
void replace_facets(Mesh& mesh, const std::vector<NamedFacets>& named) {
  std::vector<Group> groups = std::exchange(mesh.groups, {}), entities = std::exchange(mesh.entities, {});
  mesh.facets = {};
  set_facets(mesh, named);
  for (auto [old, fresh] : {std::pair{&groups, &mesh.groups}, std::pair{&entities, &mesh.entities}}) {
    for (Group& group : *old) {
      if (group.dim != mesh.dim - 1) continue;
      const auto at =
          std::find_if(fresh->begin(), fresh->end(), [&](const Group& other) { return other.name == group.name; });
      group.entities.clear();
      if (at == fresh->end()) continue;
      group = std::move(*at);
      fresh->erase(at);
    }
    old->insert(old->end(), std::make_move_iterator(fresh->begin()), std::make_move_iterator(fresh->end()));
    *fresh = std::move(*old);
  }
}

}  // namespace

std::array<std::string, 2> side_names(const std::string& name) { return {name + "_1", name + "_2"}; }

SplitMesh split_along(Mesh& mesh, const std::string& name, std::span<const Index> facets) {
  const std::vector<SidePair> pairs = sides_of(mesh, facets);
  for (const SidePair& pair : pairs)
    if (pair.second.cell < 0)
      throw Error(ExitCode::mesh,
                  fmt::format("'{}' has facets with one cell only, the first at {}: it does not lie inside the mesh",
                              name, place_of(mesh, pair.first)),
                  "name two sides that lie on each other, or a group of facets between cells that share their nodes");
  const Copies copies(mesh, pairs);
  const Index before = mesh.nodes();
  renumber(mesh, copies);
  std::vector<SidePair> apart;
  std::vector<Index> pair_of(static_cast<std::size_t>(mesh.facets.size()), -1);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto key = [&](const CellSide& side) { return sorted_key(side_vertices(mesh, side.cell, side.side)); };
    if (key(pairs[p].first) == key(pairs[p].second)) continue;  // all of its vertices are at ends
    pair_of[facets[p]] = static_cast<Index>(apart.size());
    apart.push_back(pairs[p]);
  }
  if (apart.empty())
    throw Error(ExitCode::mesh,
                fmt::format("no facet of '{}' comes apart: it ends inside the mesh all around, and where it ends both "
                            "sides are one",
                            name),
                "let it reach the boundary, or refine the mesh, so that it has vertices away from its ends");
  std::vector<NamedFacets> named = named_facets(mesh, apart, pair_of);
  add_sides(mesh, name, apart, named);
  replace_facets(mesh, named);
  return {static_cast<Index>(apart.size()), mesh.nodes() - before};
}

void add_interface(Mesh& mesh, const Group& first, const Group& second, const std::string& name) {
  std::vector<char> side(static_cast<std::size_t>(mesh.cells()), 0);
  for (const Index cell : first.entities) side[cell] |= 1;
  for (const Index cell : second.entities) side[cell] |= 2;
  std::vector<Index> cells;
  for (Index cell = 0; cell < mesh.cells(); ++cell)
    if (side[cell]) cells.push_back(cell);
  const std::vector<SidePair> pairs = pair_sides(mesh, cells, {}, [](Index, int) { return true; });
  std::vector<NamedFacets> named = named_facets(mesh);
  named.push_back({name, {}, false});
  for (const SidePair& pair : pairs)
    if (pair.second.cell >= 0 && (side[pair.first.cell] ^ side[pair.second.cell]) == 3)
      named.back().facets.push_back(side_vertices(mesh, pair.first.cell, pair.first.side));
  if (named.back().facets.empty())
    throw Error(ExitCode::mesh, fmt::format("no facet lies between '{}' and '{}'", first.name, second.name),
                "name two groups of cells that touch, or two groups of facets");
  replace_facets(mesh, named);
}

}  // namespace tessera::mesh
