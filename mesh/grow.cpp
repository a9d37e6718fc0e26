#include "mesh/grow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "mesh/geometry.hpp"
#include "mesh/plane_facets.hpp"
#include "mesh/side_table.hpp"

namespace tessera::mesh {

namespace {

/// What bounds a facet: the vertices of an edge, of intervals one vertex and -1; ascending.
using Edge = std::array<Index, 2>;

Edge sorted(Index a, Index b) { return b >= 0 && b < a ? Edge{b, a} : Edge{a, b}; }

/// The edges of a facet by its local vertices.
std::vector<std::array<std::int8_t, 2>> edges_of(Shape facet) {
  if (facet == Shape::interval) return {{0, -1}, {1, -1}};
  return topology(facet).edges;
}

/// How a cell stands on a facet from which it grows.
struct Pattern {
  struct Node {
    int base;   ///< node of the facet over which it is
    int steps;  ///< outward, as many as the geometric order to the other end
  };
  std::vector<Node> nodes;        ///< [nodes of the cell]
  std::int8_t outer = -1;         ///< its side at the other end
  std::vector<std::int8_t> over;  ///< [edges of the facet] its side over each
};

/// The first axis of a reference quad runs along the facet, its second one inward; of a hex the facet is the side z =
/// -1 as seen from outside.
Pattern make_pattern(Shape shape, Shape facet, int order) {
  Pattern pattern;
  const auto of_cell = reference_nodes(shape, order), of_facet = reference_nodes(facet, order);
  const auto dim = static_cast<std::size_t>(dimension(shape));
  for (std::size_t i = 0; i < of_cell.size(); i += dim) {
    int base = 0;
    while (!std::equal(&of_cell[i], &of_cell[i] + dim - 1, &of_facet[static_cast<std::size_t>(base) * (dim - 1)]))
      ++base;
    const double outward = dim == 2 ? -of_cell[i + 1] : of_cell[i + 2];
    pattern.nodes.push_back({base, static_cast<int>((1 + outward) * order / 2)});
  }
  const auto edges = edges_of(facet);
  pattern.over.assign(edges.size(), -1);
  for (std::size_t side = 0; side < topology(shape).facets.size(); ++side) {
    const Topology::Facet& vertices = topology(shape).facets[side];
    std::vector<int> low, high;  // vertices of the facet that it has at both ends
    for (int v = 0; v < vertex_count(vertices.shape); ++v) {
      const Pattern::Node& node = pattern.nodes[static_cast<std::size_t>(vertices.vertices[v])];
      (node.steps == 0 ? low : high).push_back(node.base);
    }
    if (low.empty()) pattern.outer = static_cast<std::int8_t>(side);
    if (low.empty() || high.empty()) continue;
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (std::all_of(low.begin(), low.end(), [&](int v) { return v == edges[e][0] || v == edges[e][1]; }))
        pattern.over[e] = static_cast<std::int8_t>(side);
  }
  return pattern;
}

/// A side with what grows there.
struct GrowingSide {
  const Growth* growth;
  OuterPlane plane;
  double thickness = 0;
};

class GrowingSides {
 public:
  GrowingSides(const Mesh& mesh, double tolerance) : mesh_(mesh), tolerance_(tolerance) {}

  void add(const Growth& growth) {
    std::vector<GrowingSide> found;
    for (const Index facet : growth.facets) {
      if (!mesh_.facets.exterior[facet])
        refuse(growth, "the side has facets inside the mesh", "layers grow at the outside: name a side of the mesh");
      const std::optional<OuterPlane> plane = plane_of_facet(mesh_, facet, tolerance_);
      if (!plane)
        refuse(growth, "the side is curved or slanted",
               "layers grow out of plane sides across an axis of coordinates; elsewhere choose another type");
      const auto same =
          std::find_if(found.begin(), found.end(), [&](const GrowingSide& s) { return is_across(s, *plane); });
      if (same == found.end()) {
        found.push_back({&growth, *plane});
      } else if (std::abs(same->plane.coordinate - plane->coordinate) > tolerance_) {
        const auto [one, other] = std::minmax(plane->coordinate, same->plane.coordinate);
        refuse(growth,
               fmt::format("the side lies in several planes, {} and {}", text(*plane, other), text(*plane, one)),
               "layers grow out of one plane: name that which is outermost");
      }
    }
    for (GrowingSide& side : found) take(side);
  }

  const std::vector<GrowingSide>& all() const { return all_; }

 private:
  [[noreturn]] static void refuse(const Growth& growth, const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, fmt::format("{}: {}", growth.of, what), help, growth.where);
  }
  static bool is_across(const GrowingSide& side, const OuterPlane& plane) {
    return side.plane.axis == plane.axis && side.plane.sign == plane.sign;
  }
  static std::string text(const OuterPlane& plane, double coordinate) {
    return describe_plane(plane.axis, plane.sign, coordinate);
  }

  void take(GrowingSide& side) {
    const OuterPlane& plane = side.plane;
    const std::string at = text(plane, plane.coordinate);
    for (const GrowingSide& before : all_)
      if (is_across(before, plane))
        refuse(*side.growth, fmt::format("a layer grows out of {} already", at),
               "one entry a side: take one of them out");
    for (Index node = 0; node < mesh_.nodes(); ++node)
      if (plane.sign * mesh_.point(node)[plane.axis] > plane.coordinate + tolerance_)
        refuse(*side.growth, fmt::format("cells lie behind {}", at),
               "layers grow out of the outermost plane of the mesh");
    const std::vector<Index> facets = facets_in(mesh_, plane, tolerance_);
    const auto named = std::count_if(facets.begin(), facets.end(), [&](Index facet) {
      return std::binary_search(side.growth->facets.begin(), side.growth->facets.end(), facet);
    });
    if (named < static_cast<std::ptrdiff_t>(facets.size()))
      refuse(*side.growth, fmt::format("it names {} of the {} facets at {}", named, facets.size(), at),
             "a layer grows out of a whole plane: name all of it");
    side.thickness = side.growth->thickness.value_or(side.growth->layers * mean_size(facets, plane.axis));
    all_.push_back(side);
  }

  /// Of the cells of these facets, along an axis.
  double mean_size(const std::vector<Index>& facets, int axis) const {
    double sum = 0;
    for (const Index facet : facets) {
      const CellBlock& block = mesh_.block_of(mesh_.facets.cell[facet]);
      const Index* const cell = block.cell(mesh_.facets.cell[facet] - block.first_cell);
      const auto along = [&](Index a, Index b) { return mesh_.point(a)[axis] < mesh_.point(b)[axis]; };
      const auto [least, most] = std::minmax_element(cell, cell + block.nodes_per_cell, along);
      sum += mesh_.point(*most)[axis] - mesh_.point(*least)[axis];
    }
    return sum / static_cast<double>(facets.size());
  }

 public:
  /// Exterior facets in a plane, ascending.
  static std::vector<Index> facets_in(const Mesh& mesh, const OuterPlane& plane, double tolerance) {
    std::vector<Index> result;
    for (Index facet = 0; facet < mesh.facets.size(); ++facet) {
      if (!mesh.facets.exterior[facet]) continue;
      const std::optional<OuterPlane> own = plane_of_facet(mesh, facet, tolerance);
      if (own && own->axis == plane.axis && own->sign == plane.sign &&
          std::abs(own->coordinate - plane.coordinate) <= tolerance)
        result.push_back(facet);
    }
    return result;
  }

 private:
  const Mesh& mesh_;
  double tolerance_;
  std::vector<GrowingSide> all_;
};

/// The layers of one side.
class Layers {
 public:
  Layers(Mesh& mesh, const GrowingSide& side, std::vector<Index> facets)
      : mesh_(mesh),
        side_(side),
        block_(mesh.blocks.front()),
        local_edges_(edges_of(facet_shape(mesh))),
        pattern_(make_pattern(block_.shape, facet_shape(mesh), mesh.order)),
        columns_(std::move(facets)),
        layers_(side.growth->layers),
        first_cell_(mesh.cells()) {}

  void grow() {
    add_nodes();
    add_cells();
    find_edges();
    add_to_cell_groups();
    move_facets();
  }

 private:
  /// What comes of the edges of the side.
  struct Over {
    int columns = 0;            ///< how many facets of the side have it
    Index column = -1;          ///< the first of them,
    std::int8_t side = -1;      ///< and the side of its cells over the edge
    std::vector<Index> others;  ///< other facets that have it
  };
  struct NewFacet {
    Offset code;
    std::int8_t exterior;
    Index old;         ///< -1: it is new,
    const Over* over;  ///< over this edge
  };

  static Shape facet_shape(const Mesh& mesh) { return mesh.dim == 2 ? Shape::interval : Shape::quad; }
  const Index* cell_of(Index facet) const { return block_.cell(mesh_.facets.cell[facet]); }
  std::span<const std::int8_t> nodes_of(Index facet) const {
    return facet_nodes(block_.shape, mesh_.facets.side[facet], mesh_.order);
  }
  Index node(Index base, int steps) const { return steps == 0 ? base : first_[base] + steps - 1; }
  Index cell(Index column, int layer) const { return first_cell_ + column * layers_ + layer; }

  /// Over each node of the side as many as there are steps, one after the other.
  void add_nodes() {
    const int steps = layers_ * mesh_.order;
    std::vector<Index> bases;
    first_.assign(static_cast<std::size_t>(mesh_.nodes()), -1);
    for (const Index facet : columns_)
      for (const std::int8_t local : nodes_of(facet)) {
        Index& first = first_[cell_of(facet)[local]];
        if (first >= 0) continue;
        first = 0;
        bases.push_back(cell_of(facet)[local]);
      }
    constexpr Offset most = std::numeric_limits<Index>::max();
    const Offset nodes = mesh_.nodes() + static_cast<Offset>(bases.size()) * steps,
                 cells = mesh_.cells() + static_cast<Offset>(columns_.size()) * layers_;
    if (nodes > most || cells > most)
      throw Error(ExitCode::mesh,
                  fmt::format("{}: the mesh would have {} nodes and {} cells, more than 32-bit numbers count",
                              side_.growth->of, nodes, cells),
                  "let fewer layers grow", side_.growth->where);
    for (const Index base : bases) {
      first_[base] = mesh_.nodes();
      for (int step = 1; step <= steps; ++step) {
        std::array<double, 3> x{mesh_.point(base)[0], mesh_.point(base)[1], mesh_.point(base)[2]};
        x[static_cast<std::size_t>(side_.plane.axis)] =
            side_.plane.sign * (side_.plane.coordinate + side_.thickness * step / steps);
        mesh_.points.insert(mesh_.points.end(), x.begin(), x.end());
      }
    }
  }

  void add_cells() {
    std::vector<Index> nodes;
    for (const Index facet : columns_)
      for (int layer = 0; layer < layers_; ++layer)
        for (const Pattern::Node& of : pattern_.nodes)
          nodes.push_back(node(cell_of(facet)[nodes_of(facet)[of.base]], layer * mesh_.order + of.steps));
    block_.nodes.insert(block_.nodes.end(), nodes.begin(), nodes.end());
  }

  /// Calls visit(edge, e) for the edges of a facet whose vertices are all on the side.
  template <class Visit>
  void each_edge(Index facet, Visit visit) const {
    const auto nodes = nodes_of(facet);
    for (std::size_t e = 0; e < local_edges_.size(); ++e) {
      const auto [first, second] = local_edges_[e];
      const Index a = cell_of(facet)[nodes[first]], b = second < 0 ? -1 : cell_of(facet)[nodes[second]];
      if (first_[a] >= 0 && (b < 0 || first_[b] >= 0)) visit(sorted(a, b), e);
    }
  }

  void find_edges() {
    is_column_.assign(static_cast<std::size_t>(mesh_.facets.size()), 0);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      is_column_[columns_[c]] = 1;
      each_edge(columns_[c], [&](const Edge& edge, std::size_t e) {
        Over& over = edges_[edge];
        if (over.columns++ > 0) return;
        over.column = static_cast<Index>(c);
        over.side = pattern_.over[e];
      });
    }
    for (Index facet = 0; facet < mesh_.facets.size(); ++facet) {
      if (is_column_[facet]) continue;
      each_edge(facet, [&](const Edge& edge, std::size_t) {
        if (const auto found = edges_.find(edge); found != edges_.end()) found->second.others.push_back(facet);
      });
    }
  }

  void add_to_cell_groups() {
    for_each_group(mesh_, [&](Group& group) {
      if (group.dim != mesh_.dim) return;
      const std::vector<Index> old = group.entities;
      for (std::size_t c = 0; c < columns_.size(); ++c)
        if (std::binary_search(old.begin(), old.end(), mesh_.facets.cell[columns_[c]]))
          for (int layer = 0; layer < layers_; ++layer) group.entities.push_back(cell(static_cast<Index>(c), layer));
    });
  }

  /// Facets over an edge lie outside where one column has it, and inside are kept where a group names what they go on
  /// from.
  std::vector<NewFacet> new_facets() const {
    std::vector<NewFacet> result;
    Index column = 0;
    for (Index facet = 0; facet < mesh_.facets.size(); ++facet) {
      Offset code = SideTable::code(mesh_.facets.cell[facet], mesh_.facets.side[facet]);
      if (is_column_[facet]) code = SideTable::code(cell(column++, layers_ - 1), pattern_.outer);
      result.push_back({code, mesh_.facets.exterior[facet], facet, nullptr});
    }
    for (const auto& [edge, over] : edges_) {
      const bool outside = over.columns == 1;
      const bool named = std::any_of(over.others.begin(), over.others.end(),
                                     [&](Index facet) { return !mesh_.facets.exterior[facet]; });
      if (!outside && !named) continue;
      for (int layer = 0; layer < layers_; ++layer)
        result.push_back({SideTable::code(cell(over.column, layer), over.side),
                          outside ? std::int8_t{1} : std::int8_t{0}, -1, &over});
    }
    std::sort(result.begin(), result.end(), [](const NewFacet& a, const NewFacet& b) { return a.code < b.code; });
    return result;
  }

  void move_facets() {
    const std::vector<NewFacet> facets = new_facets();
    for_each_group(mesh_, [&](Group& group) {
      if (group.dim != mesh_.dim - 1) return;
      std::vector<char> in(is_column_.size(), 0);
      for (const Index facet : group.entities) in[facet] = 1;
      group.entities.clear();
      for (std::size_t f = 0; f < facets.size(); ++f) {
        const NewFacet& facet = facets[f];
        const auto goes_on = [&](Index other) { return in[other] && mesh_.facets.exterior[other] == facet.exterior; };
        if (facet.over ? std::any_of(facet.over->others.begin(), facet.over->others.end(), goes_on) : in[facet.old])
          group.entities.push_back(static_cast<Index>(f));
      }
    });
    mesh_.facets = {};
    for (const NewFacet& facet : facets) {
      mesh_.facets.cell.push_back(SideTable::cell(facet.code));
      mesh_.facets.side.push_back(SideTable::side(facet.code));
      mesh_.facets.exterior.push_back(facet.exterior);
    }
  }

  Mesh& mesh_;
  const GrowingSide& side_;
  CellBlock& block_;
  std::vector<std::array<std::int8_t, 2>> local_edges_;
  Pattern pattern_;
  std::vector<Index> columns_;  ///< the facets from which columns of cells grow
  int layers_;
  Index first_cell_;
  std::vector<Index> first_;     ///< [old nodes] the first that is new over each; -1: none
  std::vector<char> is_column_;  ///< [old facets]
  std::map<Edge, Over> edges_;
};

void refuse_other_shapes(const Mesh& mesh, const Growth& growth) {
  for (const CellBlock& block : mesh.blocks)
    if (block.shape != Shape::quad && block.shape != Shape::hex)
      throw Error(ExitCode::usage,
                  fmt::format("{}: the mesh has {} {} cells", growth.of, block.cells(), mesh::name(block.shape)),
                  "layers grow out of meshes of quads or of hexes alone", growth.where);
  if (mesh.blocks.size() != 1)
    throw Error(ExitCode::internal, fmt::format("a mesh of {} blocks of one shape", mesh.blocks.size()));
}

void add_group(Mesh& mesh, Index first_cell, const std::string& name) {
  Group grown{name, mesh.dim, {}, {}};
  for (Index cell = first_cell; cell < mesh.cells(); ++cell) grown.entities.push_back(cell);
  const bool has_groups =
      std::any_of(mesh.groups.begin(), mesh.groups.end(), [&](const Group& group) { return group.dim == mesh.dim; });
  (has_groups ? mesh.groups : mesh.entities).push_back(std::move(grown));
}

}  // namespace

void grow(Mesh& mesh, std::span<const Growth> sides, const std::string& name) {
  if (sides.empty()) return;
  refuse_other_shapes(mesh, sides.front());
  if (mesh.group(name, mesh.dim))
    throw Error(ExitCode::usage, fmt::format("{}: the mesh has a group '{}' already", sides.front().of, name),
                "the cells of layers are a group of that name: give the other one another", sides.front().where);
  const BoundingBox box = bounding_box(mesh);
  double size = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) size = std::max(size, box.max[axis] - box.min[axis]);
  const double tolerance = 1e-9 * size;
  GrowingSides growing(mesh, tolerance);
  for (const Growth& growth : sides) growing.add(growth);
  const Index first_cell = mesh.cells();
  for (const GrowingSide& side : growing.all())
    Layers(mesh, side, GrowingSides::facets_in(mesh, side.plane, tolerance)).grow();
  add_group(mesh, first_cell, name);
  mesh.box_cells.fill(0);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    mesh.box_min[axis] = box.min[axis];
    mesh.box_max[axis] = box.max[axis];
  }
}

}  // namespace tessera::mesh
