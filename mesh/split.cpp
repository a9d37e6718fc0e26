#include "mesh/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

/// A facet that comes apart, and whose it is.
struct CutPair {
  SidePair sides;
  std::size_t cut = 0;
  Index facet = -1;  ///< number in Mesh::facets
};

/// The copies that cells get of nodes.
class Copies {
 public:
  Copies(const Mesh& mesh, const std::vector<CutPair>& pairs);

  /// New numbers: [nodes] of the first of each, and how many there are of all.
  std::vector<Index> number;
  Index count = 0;
  /// Behind the last copy of a node.
  Index end(Index node) const { return node + 1 < static_cast<Index>(number.size()) ? number[node + 1] : count; }
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

  const Mesh* mesh_;
  std::vector<Offset> cut_;  ///< sides that come apart, ascending
  std::vector<Use> uses_;
};

Copies::Copies(const Mesh& mesh, const std::vector<CutPair>& pairs)
    : number(static_cast<std::size_t>(mesh.nodes())), mesh_(&mesh) {
  std::vector<char> marked(number.size(), 0);
  for (const CutPair& pair : pairs)
    for (const CellSide& side : {pair.sides.first, pair.sides.second}) {
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
    const int count = static_cast<int>(topology(mesh_->block_of(cells[c]).shape).facets.size());
    for (int side = 0; side < count; ++side) {
      const std::vector<Index> nodes = side_nodes(*mesh_, cells[c], side);
      if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) continue;
      if (std::binary_search(cut_.begin(), cut_.end(), SideTable::code(cells[c], side))) continue;
      sides.emplace_back(sorted_key(side_vertices(*mesh_, cells[c], side)), c);
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

/// Curves in 3-D by their ends, and the pairs of copies that cells have in their place.
class EdgeCopies {
 public:
  EdgeCopies(const Mesh& mesh, const Copies& copies) {
    if (mesh.dim < 3) return;
    for_each_group(mesh, [&](const Group& group) {
      if (group.dim != 1) return;
      for (std::size_t v = 0; v + 1 < group.vertices.size(); v += 2)
        of_[ordered(group.vertices[v], group.vertices[v + 1])];
    });
    if (of_.empty()) return;
    for (const CellBlock& block : mesh.blocks)
      for (Index c = 0; c < block.cells(); ++c)
        for (const auto& edge : topology(block.shape).edges) {
          const Index a = block.cell(c)[edge[0]], b = block.cell(c)[edge[1]];
          const auto found = of_.find(ordered(a, b));
          if (found == of_.end()) continue;
          const Ends copy = ordered(copies.of(block.first_cell + c, a), copies.of(block.first_cell + c, b));
          std::vector<Ends>& all = found->second;
          if (std::find(all.begin(), all.end(), copy) == all.end()) all.push_back(copy);
        }
  }

  void append(Index a, Index b, std::vector<Index>& to) const {
    for (const Ends& copy : of_.at(ordered(a, b))) to.insert(to.end(), {copy.first, copy.second});
  }

 private:
  using Ends = std::pair<Index, Index>;
  static Ends ordered(Index a, Index b) { return {std::min(a, b), std::max(a, b)}; }
  std::map<Ends, std::vector<Ends>> of_;
};

/// Groups of points and curves get all copies of them, for what holds there holds on either side.
void renumber_groups(Mesh& mesh, const Copies& copies) {
  const EdgeCopies edges(mesh, copies);
  for_each_group(mesh, [&](Group& group) {
    std::vector<Index> vertices;
    if (group.dim == 1) {
      for (std::size_t v = 0; v + 1 < group.vertices.size(); v += 2)
        edges.append(group.vertices[v], group.vertices[v + 1], vertices);
    } else {
      for (const Index v : group.vertices)
        for (Index copy = copies.number[v]; copy < copies.end(v); ++copy) vertices.push_back(copy);
    }
    group.vertices = std::move(vertices);
  });
}

void renumber(Mesh& mesh, const Copies& copies) {
  renumber_groups(mesh, copies);
  for (CellBlock& block : mesh.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      for (int n = 0; n < block.nodes_per_cell; ++n) {
        Index& node = block.nodes[static_cast<std::size_t>(c) * block.nodes_per_cell + n];
        node = copies.of(block.first_cell + c, node);
      }
  std::vector<double> points(3 * static_cast<std::size_t>(copies.count));
  for (Index node = 0; node < mesh.nodes(); ++node)
    for (Index to = copies.number[node]; to < copies.end(node); ++to)
      std::copy_n(mesh.point(node), 3, &points[3 * static_cast<std::size_t>(to)]);
  mesh.points = std::move(points);
  mesh.box_cells.fill(0);
}

/// Groups of facets by their vertices, with both sides of what came apart.
std::vector<NamedFacets> named_facets(const Mesh& mesh, const std::vector<CutPair>& apart = {}) {
  std::vector<const CutPair*> pair_of(static_cast<std::size_t>(mesh.facets.size()), nullptr);
  for (const CutPair& pair : apart) pair_of[pair.facet] = &pair;
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
        if (pair_of[facet]) add(pair_of[facet]->sides.second);
      }
    }
  return named;
}

/// The two sides of a cut, and the parts of them that belong to groups of cells.
void add_sides(const Mesh& mesh, const Seam& cut, const std::vector<SidePair>& apart, std::vector<NamedFacets>& named) {
  const auto add = [&](NamedFacets facets) {
    if (mesh.group(facets.name, mesh.dim - 1))
      throw Error(ExitCode::usage,
                  fmt::format("the mesh has a group '{}', and so a side of '{}' is to be called, which comes apart",
                              facets.name, cut.name),
                  "give the group another name", cut.where);
    named.push_back(std::move(facets));
  };
  const std::array<std::string, 2> names = side_names(cut.name);
  for (const bool second : {false, true}) {
    NamedFacets side{names[second], {}, true};
    for (const SidePair& pair : apart) {
      const CellSide& own = second ? pair.second : pair.first;
      side.facets.push_back(side_vertices(mesh, own.cell, own.side));
    }
    add(std::move(side));
  }
  for (const Group& group : mesh.groups) {
    if (group.dim != mesh.dim) continue;
    NamedFacets own{fmt::format("{}_of_{}", cut.name, group.name), {}, false};
    for (const SidePair& pair : apart)
      for (const CellSide& side : {pair.first, pair.second})
        if (std::binary_search(group.entities.begin(), group.entities.end(), side.cell))
          own.facets.push_back(side_vertices(mesh, side.cell, side.side));
    if (!own.facets.empty()) add(std::move(own));
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

/// Both sides of all facets of the cuts.
std::vector<CutPair> pairs_of(const Mesh& mesh, std::span<const Seam> cuts) {
  std::vector<CutPair> result;
  std::vector<const Seam*> taken(static_cast<std::size_t>(mesh.facets.size()), nullptr);
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    const Seam& cut = cuts[c];
    const std::vector<SidePair> sides = sides_of(mesh, cut.facets);
    for (std::size_t f = 0; f < sides.size(); ++f) {
      const Seam* const other = std::exchange(taken[cut.facets[f]], &cut);
      if (other)
        throw Error(ExitCode::usage,
                    fmt::format("'{}' has a facet that is in a contact twice: '{}' has the one at {}, too", cut.name,
                                other->name, place_of(mesh, sides[f].first)),
                    "a facet is on one side of one contact", cut.where);
      if (sides[f].second.cell < 0)
        throw Error(ExitCode::mesh,
                    fmt::format("'{}' has facets with one cell only, the first at {}: it does not lie inside the mesh",
                                cut.name, place_of(mesh, sides[f].first)),
                    "name two sides that lie on each other, or a group of facets between cells that share their nodes",
                    cut.where);
      result.push_back({sides[f], c, cut.facets[f]});
    }
  }
  return result;
}

/// Takes out the facets whose vertices are all at ends inside the mesh: both of their cells have the same ones.
void leave_glued(const Mesh& mesh, const Copies& copies, std::vector<CutPair>& pairs, SplitMesh& split) {
  const auto key = [&](const CellSide& side) {
    FacetVertices vertices = side_vertices(mesh, side.cell, side.side);
    for (Index& v : vertices)
      if (v >= 0) v = copies.of(side.cell, v);
    return sorted_key(vertices);
  };
  std::erase_if(pairs, [&](const CutPair& pair) {
    SplitMesh::Facets& facets = split.cuts[pair.cut];
    const bool glued = key(pair.sides.first) == key(pair.sides.second);
    if (glued) facets.glued_area += facet_measure(mesh, pair.facet);
    ++(glued ? facets.glued : facets.apart);
    return glued;
  });
}

}  // namespace

std::array<std::string, 2> side_names(const std::string& name) { return {name + "_1", name + "_2"}; }

SplitMesh split_along(Mesh& mesh, std::span<const Seam> cuts) {
  SplitMesh split;
  split.cuts.resize(cuts.size());
  std::vector<CutPair> pairs = pairs_of(mesh, cuts);
  Copies copies(mesh, pairs);
  const std::size_t all = pairs.size();
  leave_glued(mesh, copies, pairs, split);
  for (std::size_t c = 0; c < cuts.size(); ++c)
    if (split.cuts[c].apart == 0)
      throw Error(
          ExitCode::mesh,
          fmt::format("no facet of '{}' comes apart: it ends inside the mesh all around, and where it ends both "
                      "sides are one",
                      cuts[c].name),
          "let it reach the boundary, or refine the mesh, so that it has vertices away from its ends", cuts[c].where);
  // Their vertices stay as they are, but nodes inside of facets and edges of order 2 stay one with them.
  if (pairs.size() < all && mesh.order > 1) copies = Copies(mesh, pairs);
  const Index before = mesh.nodes();
  renumber(mesh, copies);
  split.nodes = mesh.nodes() - before;
  std::vector<NamedFacets> named = named_facets(mesh, pairs);
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    std::vector<SidePair> own;
    for (const CutPair& pair : pairs)
      if (pair.cut == c) own.push_back(pair.sides);
    add_sides(mesh, cuts[c], own, named);
  }
  replace_facets(mesh, named);
  return split;
}

void add_interface(Mesh& mesh, const Group& first, const Group& second, const std::string& name) {
  if (mesh.group(name, mesh.dim - 1))
    throw Error(ExitCode::usage,
                fmt::format("the mesh has a group '{}', and so the facets between '{}' and '{}' are to be called", name,
                            first.name, second.name),
                fmt::format("give it another name, or write on = \"{}\" if these are the facets of the contact", name));
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
