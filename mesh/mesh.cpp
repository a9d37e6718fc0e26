#include "mesh/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace tessera::mesh {
namespace {

constexpr std::array<const char*, shape_count> names{"point", "interval", "triangle", "quad", "tet", "hex", "prism"};
constexpr std::array<int, shape_count> dimensions{0, 1, 2, 2, 3, 3, 3};
constexpr std::array<int, shape_count> vertex_counts{1, 2, 3, 4, 4, 8, 6};
constexpr std::array<int, shape_count> second_order_counts{1, 3, 6, 9, 10, 27, 18};

using Facet = Topology::Facet;

Topology make_topology(Shape shape) {
  Topology t;
  switch (shape) {
    case Shape::point: break;
    case Shape::interval:
      t.edges = {{0, 1}};
      t.facets = {Facet{Shape::point, {0, -1, -1, -1}}, Facet{Shape::point, {1, -1, -1, -1}}};
      break;
    case Shape::triangle:
      t.edges = {{0, 1}, {1, 2}, {2, 0}};
      t.faces = {Facet{Shape::triangle, {0, 1, 2, -1}}};
      break;
    case Shape::quad:
      t.edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
      t.faces = {Facet{Shape::quad, {0, 1, 2, 3}}};
      break;
    case Shape::tet:
      t.edges = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}};
      t.faces = {Facet{Shape::triangle, {0, 2, 1, -1}}, Facet{Shape::triangle, {0, 1, 3, -1}},
                 Facet{Shape::triangle, {0, 3, 2, -1}}, Facet{Shape::triangle, {3, 1, 2, -1}}};
      break;
    case Shape::hex:
      t.edges = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}};
      t.faces = {Facet{Shape::quad, {0, 3, 2, 1}}, Facet{Shape::quad, {0, 1, 5, 4}}, Facet{Shape::quad, {0, 4, 7, 3}},
                 Facet{Shape::quad, {1, 2, 6, 5}}, Facet{Shape::quad, {2, 3, 7, 6}}, Facet{Shape::quad, {4, 5, 6, 7}}};
      break;
    case Shape::prism:
      t.edges = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}};
      t.faces = {Facet{Shape::triangle, {0, 2, 1, -1}}, Facet{Shape::triangle, {3, 4, 5, -1}},
                 Facet{Shape::quad, {0, 1, 4, 3}}, Facet{Shape::quad, {0, 3, 5, 2}}, Facet{Shape::quad, {1, 2, 5, 4}}};
      break;
  }
  if (dimension(shape) == 3) t.facets = t.faces;
  if (dimension(shape) == 2)
    for (const auto& e : t.edges) t.facets.push_back({Shape::interval, {e[0], e[1], -1, -1}});
  return t;
}

std::vector<double> vertex_coordinates(Shape shape) {
  switch (shape) {
    case Shape::point: return {};
    case Shape::interval: return {-1, 1};
    case Shape::triangle: return {0, 0, 1, 0, 0, 1};
    case Shape::quad: return {-1, -1, 1, -1, 1, 1, -1, 1};
    case Shape::tet: return {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    case Shape::hex: return {-1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1, -1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1};
    case Shape::prism: return {0, 0, -1, 1, 0, -1, 0, 1, -1, 0, 0, 1, 1, 0, 1, 0, 1, 1};
  }
  return {};
}

/// Vertices, midpoints of edges, centres of quad faces, centre of a hex: the geometric nodes of order 2.
std::vector<double> make_reference_nodes(Shape shape, int order) {
  std::vector<double> nodes = vertex_coordinates(shape);
  if (order == 1) return nodes;
  const int dim = dimension(shape);
  auto append_mean = [&](const auto& vertices, int count) {
    for (int d = 0; d < dim; ++d) {
      double sum = 0;
      for (int v = 0; v < count; ++v) sum += nodes[vertices[v] * dim + d];
      nodes.push_back(sum / count);
    }
  };
  for (const auto& e : topology(shape).edges) append_mean(e, 2);
  for (const Facet& f : topology(shape).faces)
    if (f.shape == Shape::quad) append_mean(f.vertices, 4);
  if (shape == Shape::hex) append_mean(std::array{0, 1, 2, 3, 4, 5, 6, 7}, 8);
  return nodes;
}

/// Local cell nodes of a facet, in the facet's own Gmsh order.
std::vector<std::int8_t> make_facet_nodes(Shape shape, int side, int order) {
  const Topology& cell = topology(shape);
  const Facet& facet = cell.facets[side];
  const int vertices = vertex_count(facet.shape);
  std::vector<std::int8_t> nodes(facet.vertices.begin(), facet.vertices.begin() + vertices);
  if (order == 1) return nodes;
  for (const auto& e : topology(facet.shape).edges) {
    const int a = facet.vertices[e[0]], b = facet.vertices[e[1]];
    const auto found = std::find_if(cell.edges.begin(), cell.edges.end(), [&](const auto& c) {
      return (c[0] == a && c[1] == b) || (c[0] == b && c[1] == a);
    });
    nodes.push_back(static_cast<std::int8_t>(vertex_count(shape) + (found - cell.edges.begin())));
  }
  if (facet.shape == Shape::quad) {
    int quads_before = 0;
    for (int s = 0; s < side; ++s) quads_before += cell.facets[s].shape == Shape::quad;
    nodes.push_back(static_cast<std::int8_t>(vertex_count(shape) + static_cast<int>(cell.edges.size()) + quads_before));
  }
  return nodes;
}

void check_order(int order) {
  if (order != 1 && order != 2)
    throw Error(ExitCode::mesh, fmt::format("geometric order {} is not supported", order), "use order 1 or 2");
}

}  // namespace

const char* name(Shape shape) { return names[static_cast<int>(shape)]; }

Shape shape_from_name(const std::string& name) {
  for (int s = 0; s < shape_count; ++s)
    if (name == names[s]) return static_cast<Shape>(s);
  throw Error(ExitCode::usage, fmt::format("unknown cell shape '{}'", name),
              suggest(name, std::vector<std::string>(names.begin(), names.end())));
}

int dimension(Shape shape) { return dimensions[static_cast<int>(shape)]; }
int vertex_count(Shape shape) { return vertex_counts[static_cast<int>(shape)]; }

int node_count(Shape shape, int order) {
  check_order(order);
  return order == 1 ? vertex_count(shape) : second_order_counts[static_cast<int>(shape)];
}

const Topology& topology(Shape shape) {
  static const std::array<Topology, shape_count> tables = [] {
    std::array<Topology, shape_count> all;
    for (int s = 0; s < shape_count; ++s) all[s] = make_topology(static_cast<Shape>(s));
    return all;
  }();
  return tables[static_cast<int>(shape)];
}

std::span<const double> reference_nodes(Shape shape, int order) {
  check_order(order);
  static const std::array<std::vector<double>, 2 * shape_count> tables = [] {
    std::array<std::vector<double>, 2 * shape_count> all;
    for (int s = 0; s < shape_count; ++s)
      for (int o : {1, 2}) all[2 * s + o - 1] = make_reference_nodes(static_cast<Shape>(s), o);
    return all;
  }();
  return tables[2 * static_cast<int>(shape) + order - 1];
}

std::span<const std::int8_t> facet_nodes(Shape shape, int side, int order) {
  check_order(order);
  using Sides = std::vector<std::vector<std::int8_t>>;
  static const std::array<Sides, 2 * shape_count> tables = [] {
    std::array<Sides, 2 * shape_count> all;
    for (int s = 0; s < shape_count; ++s) {
      const auto shape = static_cast<Shape>(s);
      for (int o : {1, 2})
        for (int f = 0; f < static_cast<int>(topology(shape).facets.size()); ++f)
          all[2 * s + o - 1].push_back(make_facet_nodes(shape, f, o));
    }
    return all;
  }();
  return tables[2 * static_cast<int>(shape) + order - 1][side];
}

const Group* Mesh::group(const std::string& name, int dim) const {
  for (const std::vector<Group>* list : {&groups, &entities})
    for (const Group& group : *list)
      if (group.dim == dim && group.name == name) return &group;
  return nullptr;
}

const CellBlock& Mesh::block_of(Index cell) const {
  // Few blocks (shapes times orders), so a linear search is the quickest.
  for (const CellBlock& block : blocks)
    if (cell >= block.first_cell && cell < block.first_cell + block.cells()) return block;
  throw Error(ExitCode::internal, fmt::format("cell {} is not in a mesh of {} cells", cell, cells()));
}

}  // namespace tessera::mesh
