#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/team.hpp"
#include "mesh/facets.hpp"
#include "mesh/gmsh_reader_model.hpp"
#include "mesh/gmsh_types.hpp"
#include "mesh/node_sets.hpp"
#include "mesh/partition.hpp"

namespace tessera::mesh {

namespace {

using Vector = std::array<double, 3>;

// Nodes that no cell uses go; returns new_number[old], -1 for those.
std::vector<Index> drop_unused_nodes(GmshModel& model) {
  std::vector<Index> number(model.points.size() / 3, -1);
  for (const CellBlock& block : model.blocks)
    for (Index node : block.nodes) number[node] = 0;
  Index used = 0;
  for (std::size_t old = 0; old < number.size(); ++old) {
    if (number[old] < 0) continue;
    std::copy_n(model.points.begin() + 3 * old, 3, model.points.begin() + 3 * static_cast<std::size_t>(used));
    number[old] = used++;
  }
  if (static_cast<std::size_t>(used) == number.size()) return number;
  log_debug(fmt::format("{} nodes without a cell were dropped", number.size() - used));
  model.points.resize(3 * static_cast<std::size_t>(used));
  for (CellBlock& block : model.blocks)
    for (Index& node : block.nodes) node = number[node];
  return number;
}

// Meshes of dimension 1 and 2 lie along x and in a plane of constant z; unused coordinates become 0.
void flatten(GmshModel& model, const std::string& file) {
  Vector low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < model.points.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], model.points[i]);
    high[i % 3] = std::max(high[i % 3], model.points[i]);
  }
  const double extent = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  for (int axis = model.dim; axis < 3; ++axis) {
    if (high[axis] - low[axis] > 1e-9 * extent)
      throw Error(ExitCode::mesh,
                  fmt::format("{} is a {} in space: {} runs from {:g} to {:g}", file,
                              model.dim == 2 ? "surface mesh" : "mesh of lines", "xyz"[axis], low[axis], high[axis]),
                  model.dim == 2
                      ? "surface meshes are not supported: put the mesh into a plane of constant z, or mesh the "
                        "volume"
                      : "put a one-dimensional mesh on a line along x");
    for (std::size_t i = axis; i < model.points.size(); i += 3) model.points[i] = 0;
  }
}

// Sign of the orientation: the determinant of mean differences along the axes of the reference cell.
double orientation(Shape shape, const std::vector<double>& points, const Index* cell) {
  const auto point = [&](int vertex) { return points.data() + 3 * static_cast<std::size_t>(cell[vertex]); };
  const auto along = [&](std::initializer_list<std::array<int, 2>> edges) {
    Vector sum{};
    for (const auto& [a, b] : edges)
      for (int axis = 0; axis < 3; ++axis) sum[axis] += point(b)[axis] - point(a)[axis];
    return sum;
  };
  const auto cross_z = [](const Vector& u, const Vector& v) { return u[0] * v[1] - u[1] * v[0]; };
  const auto triple = [](const Vector& u, const Vector& v, const Vector& w) {
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
  };
  switch (shape) {
    case Shape::point: return 1;
    case Shape::interval: return point(1)[0] - point(0)[0];
    case Shape::triangle: return cross_z(along({{0, 1}}), along({{0, 2}}));
    case Shape::quad: return cross_z(along({{0, 2}}), along({{1, 3}}));  // twice the area, from the diagonals
    case Shape::tet: return triple(along({{0, 1}}), along({{0, 2}}), along({{0, 3}}));
    case Shape::hex:
      return triple(along({{0, 1}, {3, 2}, {4, 5}, {7, 6}}), along({{0, 3}, {1, 2}, {4, 7}, {5, 6}}),
                    along({{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
    case Shape::prism: return triple(along({{0, 1}, {3, 4}}), along({{0, 2}, {3, 5}}), along({{0, 3}, {1, 4}, {2, 5}}));
  }
  return 0;
}

void mirror_inverted(GmshModel& model, const std::string& file) {
  Offset mirrored = 0, cells = 0;
  for (CellBlock& block : model.blocks) {
    const std::vector<int>& order = mirrored_nodes(block.shape, block.order);
    const Index count = block.cells();
    cells += count;
    const auto mirror = [&](Offset first, Offset last) {
      Offset done = 0;
      for (Offset c = first; c < last; ++c) {
        Index* nodes = block.nodes.data() + static_cast<std::size_t>(c) * block.nodes_per_cell;
        if (!(orientation(block.shape, model.points, nodes) < 0)) continue;
        std::array<Index, 27> old;
        std::copy_n(nodes, block.nodes_per_cell, old.begin());
        for (int n = 0; n < block.nodes_per_cell; ++n) nodes[n] = old[order[n]];
        ++done;
      }
      return done;
    };
    mirrored += parallel_reduce(default_threads(), count, Offset{0}, mirror, std::plus<>());
  }
  if (mirrored > 0) log_info(fmt::format("{}: {} of {} cells were inverted and are mirrored", file, mirrored, cells));
}

void number_blocks(GmshModel& model) {
  Offset first = 0;
  for (CellBlock& block : model.blocks) {
    block.first_cell = static_cast<Index>(first);
    first += block.cells();
  }
  if (first > std::numeric_limits<Index>::max())
    throw Error(ExitCode::mesh, fmt::format("the mesh has {} cells, more than 32-bit numbers count", first),
                "use a coarser mesh");
}

// A group or an entity of the mesh to be: the entities of the model, or parts of them, that make it.
struct Part {
  std::string name;
  int dim = 0;
  bool is_entity = false;            // goes to Mesh::entities, without what is no part of the mesh
  std::vector<std::size_t> members;  // positions in GmshModel::cells (highest dimension) or ::elements
};

// "Shapes/Assembly/Bracket" -> "Bracket": STEP files name the way to a part.
std::string last_name(const std::string& label) {
  const std::size_t slash = label.find_last_of('/', label.find_last_not_of('/'));
  std::string name = slash == std::string::npos ? label : label.substr(slash + 1);
  while (!name.empty() && (name.back() == '/' || name.back() == ' ')) name.pop_back();
  return name;
}

using Members = std::map<std::pair<int, int>, std::vector<std::size_t>>;  // (dim, tag of an entity) -> positions

// Parts by the names that a file gives its entities: they are its groups, unless it has physical groups of that
// dimension.
void add_labels(const GmshModel& model, const Members& members, std::vector<Part>& parts) {
  std::map<std::pair<int, std::string>, std::vector<std::size_t>> by_label;
  for (const EntityLabel& label : model.labels)
    if (const auto found = members.find({label.dim, label.tag}); found != members.end())
      if (const std::string name = last_name(label.label); !name.empty()) {
        auto& all = by_label[{label.dim, name}];
        all.insert(all.end(), found->second.begin(), found->second.end());
      }
  for (auto& [key, all] : by_label) {
    const bool has_groups = std::any_of(model.groups.begin(), model.groups.end(),
                                        [dim = key.first](const PhysicalGroup& group) { return group.dim == dim; });
    parts.push_back({key.second, key.first, has_groups, std::move(all)});
  }
}

// Physical groups in their order, then names of the file, then "volume_1", ... of each entity, then partitions.
std::vector<Part> parts_of(const GmshModel& model) {
  std::vector<Part> parts;
  Members members;
  for (const PhysicalGroup& group : model.groups) parts.push_back({group.name, group.dim, false, {}});
  const auto add = [&](int dim, int tag, const std::vector<int>& groups, std::size_t position) {
    for (int g : groups) parts[g].members.push_back(position);
    members[{dim, tag}].push_back(position);
  };
  for (std::size_t i = 0; i < model.cells.size(); ++i) add(model.dim, model.cells[i].tag, model.cells[i].groups, i);
  for (std::size_t i = 0; i < model.elements.size(); ++i)
    add(model.elements[i].dim, model.elements[i].tag, model.elements[i].groups, i);
  add_labels(model, members, parts);
  constexpr const char* kinds[] = {"point", "curve", "surface", "volume"};
  for (auto& [key, all] : members) {
    const auto& [dim, tag] = key;
    const std::string name = fmt::format("{}_{}", kinds[dim], tag);
    const auto same = [&, d = dim](const Part& part) { return part.dim == d && part.name == name; };
    if (std::none_of(parts.begin(), parts.end(), same)) parts.push_back({name, dim, true, std::move(all)});
  }
  std::map<int, std::vector<std::size_t>> partitions;
  for (std::size_t i = 0; i < model.cells.size(); ++i)
    if (const int number = model.cells[i].partition; number > 0) partitions[number].push_back(i);
  for (auto& [number, all] : partitions) parts.push_back({partition_name(number), model.dim, true, std::move(all)});
  return parts;
}

void add_cell_groups(const GmshModel& model, const std::vector<Part>& parts, Mesh& mesh) {
  for (const Part& part : parts) {
    if (part.dim != model.dim) continue;
    Group group{part.name, model.dim, {}, {}};
    for (std::size_t member : part.members) {
      const EntityCells& cells = model.cells[member];
      const std::size_t start = group.entities.size();
      group.entities.resize(start + cells.count);
      std::iota(group.entities.begin() + start, group.entities.end(),
                mesh.blocks[cells.block].first_cell + cells.first);
    }
    std::sort(group.entities.begin(), group.entities.end());
    (part.is_entity ? mesh.entities : mesh.groups).push_back(std::move(group));
  }
}

// Calls f(vertices of the element) for the elements of one part, in new node numbers; -1: a node of no cell.
template <class F>
void for_each_element(const GmshModel& model, const Part& part, const std::vector<Index>& number, F f) {
  std::array<Index, 8> vertices;
  for (std::size_t member : part.members) {
    const EntityElements& entity = model.elements[member];
    const int width = vertex_count(entity.shape);
    for (std::size_t e = 0; e * width < entity.vertices.size(); ++e) {
      for (int v = 0; v < width; ++v) vertices[v] = number[entity.vertices[e * width + v]];
      f(vertices.data(), width);
    }
  }
}

// Groups with elements at no cell lose these; what has none left is no
// group, so that a boundary condition on it is refused. Of entities nothing is said.
void warn_of_loose(const std::string& file, const Part& part, Offset loose, Offset left) {
  if (loose == 0 || part.is_entity) return;
  warn(fmt::format("{}: {} of the {} elements of group '{}' of dimension {} bound no cell and are left out{}", file,
                   loose, loose + left, part.name, part.dim, left == 0 ? "; the group is gone" : ""));
}

void add_facet_groups(const GmshModel& model, const std::vector<Part>& parts, const std::string& file,
                      const std::vector<Index>& number, Mesh& mesh) {
  std::vector<NamedFacets> named;
  std::vector<const Part*> of_named;
  std::vector<Offset> unused;  // elements whose nodes no cell has
  for (const Part& part : parts) {
    if (part.dim != model.dim - 1) continue;
    named.push_back({part.name, {}, part.is_entity});
    of_named.push_back(&part);
    unused.push_back(0);
    for_each_element(model, part, number, [&](const Index* vertices, int width) {
      FacetVertices facet{-1, -1, -1, -1};
      std::copy_n(vertices, width, facet.begin());
      if (*std::min_element(vertices, vertices + width) < 0)
        ++unused.back();
      else
        named.back().facets.push_back(facet);
    });
  }
  std::size_t next = mesh.groups.size();  // groups come in their order; of entities, empty ones are left out
  const std::vector<Offset> loose = set_facets(mesh, named);
  for (std::size_t n = 0; n < named.size(); ++n) {
    const Offset lost = loose[n] + unused[n], left = static_cast<Offset>(named[n].facets.size()) - loose[n];
    warn_of_loose(file, *of_named[n], lost, left);
    if (named[n].is_entity) continue;
    if (lost > 0 && left == 0)
      mesh.groups.erase(mesh.groups.begin() + static_cast<std::ptrdiff_t>(next));
    else
      ++next;
  }
}

void add_lower_groups(const GmshModel& model, const std::vector<Part>& parts, const std::string& file,
                      const std::vector<Index>& number, Mesh& mesh) {
  for (const Part& part : parts) {
    if (part.dim >= model.dim - 1) continue;
    std::vector<std::array<Index, 2>> elements;  // points and curves only
    Offset loose = 0;
    for_each_element(model, part, number, [&](const Index* vertices, int width) {
      if (*std::min_element(vertices, vertices + width) < 0)
        ++loose;
      else
        elements.push_back({vertices[0], width > 1 ? vertices[1] : -1});
    });
    warn_of_loose(file, part, loose, static_cast<Offset>(elements.size()));
    if (loose > 0 && elements.empty()) continue;
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    if (elements.empty() && part.is_entity) continue;
    Group group{part.name, part.dim, {}, {}};
    for (const auto& element : elements)
      group.vertices.insert(group.vertices.end(), element.begin(), element.begin() + group.dim + 1);
    (part.is_entity ? mesh.entities : mesh.groups).push_back(std::move(group));
  }
}

}  // namespace

Mesh make_mesh_of(GmshModel&& model, const std::string& file) {
  const std::vector<Index> number = drop_unused_nodes(model);
  if (model.dim < 3) flatten(model, file);
  number_blocks(model);
  mirror_inverted(model, file);
  Mesh mesh;
  mesh.dim = model.dim;
  mesh.order = model.order;
  mesh.points = std::move(model.points);
  mesh.blocks = std::move(model.blocks);
  const std::vector<Part> parts = parts_of(model);
  add_cell_groups(model, parts, mesh);
  add_facet_groups(model, parts, file, number, mesh);
  add_lower_groups(model, parts, file, number, mesh);
  add_node_sets(model, number, file, mesh);
  return mesh;
}

}  // namespace tessera::mesh
