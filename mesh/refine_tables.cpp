#include "mesh/refine_tables.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::mesh {
namespace {

using Child = std::vector<std::int8_t>;

/// The order-2 node at a reference point.
std::int8_t node_at(Shape shape, const std::array<double, 3>& x) {
  const auto nodes = reference_nodes(shape, 2);
  const int dim = dimension(shape);
  for (int i = 0; i < node_count(shape, 2); ++i) {
    double distance = 0;
    for (int d = 0; d < dim; ++d) distance += std::abs(nodes[i * dim + d] - x[d]);
    if (distance < 1e-12) return static_cast<std::int8_t>(i);
  }
  return -1;
}

std::vector<Child> triangle_children() { return {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}}; }

/// A copy of half size in each corner of [-1,1]^dim.
std::vector<Child> tensor_children(Shape shape) {
  const int dim = dimension(shape), n = vertex_count(shape);
  const auto corner = reference_nodes(shape, 1);
  std::vector<Child> children;
  for (int c = 0; c < n; ++c) {
    children.emplace_back();
    for (int v = 0; v < n; ++v) {
      std::array<double, 3> x{};
      for (int d = 0; d < dim; ++d) x[d] = 0.5 * (corner[c * dim + d] + corner[v * dim + d]);
      children.back().push_back(node_at(shape, x));
    }
  }
  return children;
}

std::vector<Child> prism_children() {
  const auto flat = reference_nodes(Shape::triangle, 2);
  std::vector<Child> children;
  for (double bottom : {-1.0, 0.0})
    for (const Child& triangle : triangle_children()) {
      children.emplace_back();
      for (double z : {bottom, bottom + 1})
        for (std::int8_t v : triangle)
          children.back().push_back(node_at(Shape::prism, {flat[2 * v], flat[2 * v + 1], z}));
    }
  return children;
}

void orient_tet(Child& t) {
  const auto x = reference_nodes(Shape::tet, 2);
  double e[3][3];
  for (int i = 0; i < 3; ++i)
    for (int d = 0; d < 3; ++d) e[i][d] = x[3 * t[i + 1] + d] - x[3 * t[0] + d];
  const double det = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                     e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                     e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
  if (det < 0) std::swap(t[2], t[3]);
}

/// Four corners and an octahedron, cut around the diagonal a-b with `ring` the other four midpoints in turn.
std::vector<Child> tet_children(std::int8_t a, std::int8_t b, const std::array<std::int8_t, 4>& ring) {
  std::vector<Child> children{{0, 4, 6, 7}, {4, 1, 5, 9}, {6, 5, 2, 8}, {7, 9, 8, 3}};
  for (int k = 0; k < 4; ++k) {
    children.push_back({a, b, ring[k], ring[(k + 1) % 4]});
    orient_tet(children.back());
  }
  return children;
}

Cut make_cut(Shape shape, std::vector<Child> children) {
  Cut cut{std::move(children), {}};
  for (int side = 0; side < static_cast<int>(topology(shape).facets.size()); ++side) {
    cut.on_side.emplace_back();
    const auto nodes = facet_nodes(shape, side, 2);
    for (std::size_t c = 0; c < cut.children.size(); ++c)
      for (std::size_t s = 0; s < topology(shape).facets.size(); ++s) {
        const auto& local = topology(shape).facets[s].vertices;
        const bool on = std::all_of(local.begin(), local.end(), [&](std::int8_t v) {
          return v < 0 || std::find(nodes.begin(), nodes.end(), cut.children[c][v]) != nodes.end();
        });
        if (on) cut.on_side.back().push_back({static_cast<std::int8_t>(c), static_cast<std::int8_t>(s)});
      }
  }
  return cut;
}

std::vector<Cut> make_cuts(Shape shape) {
  // Midpoints of a tet: 4 = 01, 5 = 12, 6 = 02, 7 = 03, 8 = 23, 9 = 13; opposite pairs 6-9, 4-8, 7-5.
  switch (shape) {
    case Shape::point: return {};
    case Shape::triangle: return {make_cut(shape, triangle_children())};
    case Shape::prism: return {make_cut(shape, prism_children())};
    case Shape::tet:
      return {make_cut(shape, tet_children(6, 9, {4, 5, 8, 7})), make_cut(shape, tet_children(4, 8, {6, 5, 9, 7})),
              make_cut(shape, tet_children(7, 5, {4, 6, 8, 9}))};
    default: return {make_cut(shape, tensor_children(shape))};
  }
}

}  // namespace

const std::vector<Cut>& cuts(Shape shape) {
  static const std::array<std::vector<Cut>, shape_count> tables = [] {
    std::array<std::vector<Cut>, shape_count> all;
    for (int s = 0; s < shape_count; ++s) all[s] = make_cuts(static_cast<Shape>(s));
    return all;
  }();
  return tables[static_cast<int>(shape)];
}

}  // namespace tessera::mesh
