#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/team.hpp"
#include "mesh/facets.hpp"
#include "mesh/gmsh_reader_model.hpp"
#include "mesh/gmsh_types.hpp"

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

void add_cell_groups(const GmshModel& model, Mesh& mesh) {
  for (int g = 0; g < static_cast<int>(model.groups.size()); ++g) {
    if (model.groups[g].dim != model.dim) continue;
    Group group{model.groups[g].name, model.dim, {}, {}};
    for (const EntityCells& cells : model.cells) {
      if (!std::binary_search(cells.groups.begin(), cells.groups.end(), g)) continue;
      const std::size_t start = group.entities.size();
      group.entities.resize(start + cells.count);
      std::iota(group.entities.begin() + start, group.entities.end(),
                mesh.blocks[cells.block].first_cell + cells.first);
    }
    std::sort(group.entities.begin(), group.entities.end());
    mesh.groups.push_back(std::move(group));
  }
}

// Calls f(vertices of the element) for the elements of one group, in new node numbers.
template <class F>
void for_each_element(const GmshModel& model, int group, const std::vector<Index>& number, F f) {
  std::array<Index, 8> vertices;
  for (const EntityElements& entity : model.elements) {
    if (!std::binary_search(entity.groups.begin(), entity.groups.end(), group)) continue;
    const int width = vertex_count(entity.shape);
    for (std::size_t e = 0; e * width < entity.vertices.size(); ++e) {
      for (int v = 0; v < width; ++v) vertices[v] = number[entity.vertices[e * width + v]];
      f(vertices.data(), width);
    }
  }
}

// Groups with elements at no cell lose these; what has none left is no
// group, so that a boundary condition on it is refused.
void warn_of_loose(const std::string& file, const PhysicalGroup& group, Offset loose, Offset left) {
  if (loose == 0) return;
  warn(fmt::format("{}: {} of the {} elements of group '{}' of dimension {} bound no cell and are left out{}", file,
                   loose, loose + left, group.name, group.dim, left == 0 ? "; the group is gone" : ""));
}

void add_facet_groups(const GmshModel& model, const std::string& file, const std::vector<Index>& number, Mesh& mesh) {
  std::vector<NamedFacets> named;
  std::vector<int> of_named;
  std::vector<Offset> unused;  // elements whose nodes no cell has
  for (int g = 0; g < static_cast<int>(model.groups.size()); ++g) {
    if (model.groups[g].dim != model.dim - 1) continue;
    named.push_back({model.groups[g].name, {}});
    of_named.push_back(g);
    unused.push_back(0);
    for_each_element(model, g, number, [&](const Index* vertices, int width) {
      FacetVertices facet{-1, -1, -1, -1};
      std::copy_n(vertices, width, facet.begin());
      if (*std::min_element(vertices, vertices + width) < 0)
        ++unused.back();
      else
        named.back().facets.push_back(facet);
    });
  }
  const std::size_t first = mesh.groups.size();
  const std::vector<Offset> loose = set_facets(mesh, named);
  for (std::size_t n = named.size(); n-- > 0;) {
    const Offset lost = loose[n] + unused[n], left = static_cast<Offset>(named[n].facets.size()) - loose[n];
    warn_of_loose(file, model.groups[of_named[n]], lost, left);
    if (lost > 0 && left == 0) mesh.groups.erase(mesh.groups.begin() + static_cast<std::ptrdiff_t>(first + n));
  }
}

void add_lower_groups(const GmshModel& model, const std::string& file, const std::vector<Index>& number, Mesh& mesh) {
  for (int g = 0; g < static_cast<int>(model.groups.size()); ++g) {
    if (model.groups[g].dim >= model.dim - 1) continue;
    std::vector<std::array<Index, 2>> elements;  // points and curves only
    Offset loose = 0;
    for_each_element(model, g, number, [&](const Index* vertices, int width) {
      if (*std::min_element(vertices, vertices + width) < 0)
        ++loose;
      else
        elements.push_back({vertices[0], width > 1 ? vertices[1] : -1});
    });
    warn_of_loose(file, model.groups[g], loose, static_cast<Offset>(elements.size()));
    if (loose > 0 && elements.empty()) continue;
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    Group group{model.groups[g].name, model.groups[g].dim, {}, {}};
    for (const auto& element : elements)
      group.vertices.insert(group.vertices.end(), element.begin(), element.begin() + group.dim + 1);
    mesh.groups.push_back(std::move(group));
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
  add_cell_groups(model, mesh);
  add_facet_groups(model, file, number, mesh);
  add_lower_groups(model, file, number, mesh);
  return mesh;
}

}  // namespace tessera::mesh
