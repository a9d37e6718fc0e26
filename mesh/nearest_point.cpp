#include "mesh/nearest_point.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "mesh/geometry.hpp"

namespace tessera::mesh {

namespace {

using Point = std::array<double, 3>;

BoundingBox box_of(const Mesh& mesh, Index cell) {
  const CellBlock& block = mesh.block_of(cell);
  return cell_box(mesh, block, cell - block.first_cell);
}

double distance_to(const BoundingBox& box, const Point& x) {
  double square = 0;
  for (int d = 0; d < 3; ++d) square += std::pow(std::max({box.min[d] - x[d], x[d] - box.max[d], 0.0}), 2);
  return std::sqrt(square);
}

std::vector<Point> middles(const Mesh& mesh) {
  std::vector<Point> result;
  result.reserve(static_cast<std::size_t>(mesh.cells()));
  for (Index cell = 0; cell < mesh.cells(); ++cell) {
    const BoundingBox box = box_of(mesh, cell);
    Point& x = result.emplace_back();
    for (int d = 0; d < 3; ++d) x[d] = 0.5 * (box.min[d] + box.max[d]);
  }
  return result;
}

/// A flat part of the boundary of a reference cell: xi = corner + s (first) + t (second), with s, t in [0, 1], of a
/// triangle s + t <= 1.
struct Patch {
  int width = 0;  ///< 0: a vertex, 1: an edge, 2: a face
  bool triangle = false;
  Point corner{}, along[2] = {};

  Point at(const std::array<double, 2>& s) const {
    Point xi = corner;
    for (int a = 0; a < width; ++a)
      for (int d = 0; d < 3; ++d) xi[d] += s[a] * along[a][d];
    return xi;
  }
  bool holds(const std::array<double, 2>& s) const {
    for (int a = 0; a < width; ++a)
      if (!(s[a] >= 0 && s[a] <= 1)) return false;
    return width < 2 || !triangle || s[0] + s[1] <= 1;
  }
};

std::vector<Patch> patches_of(Shape shape) {
  const std::span<const double> nodes = reference_nodes(shape, 1);
  const int dim = dimension(shape);
  const auto vertex = [&](int v) {
    Point xi{};
    std::copy_n(&nodes[static_cast<std::size_t>(v * dim)], dim, xi.begin());
    return xi;
  };
  const auto from_to = [&](int a, int b) {
    Point along = vertex(b);
    for (int d = 0; d < 3; ++d) along[d] -= vertex(a)[d];
    return along;
  };
  std::vector<Patch> result;
  for (int v = 0; v < vertex_count(shape); ++v) result.push_back({0, false, vertex(v), {}});
  if (dim == 1) return result;
  for (const auto& edge : topology(shape).edges)
    result.push_back({1, false, vertex(edge[0]), {from_to(edge[0], edge[1]), {}}});
  if (dim == 2) return result;
  for (const Topology::Facet& face : topology(shape).facets) {
    const auto& v = face.vertices;
    const bool triangle = face.shape == Shape::triangle;
    result.push_back({2, triangle, vertex(v[0]), {from_to(v[0], v[1]), from_to(v[0], v[triangle ? 2 : 3])}});
  }
  return result;
}

const std::vector<Patch>& patches(Shape shape) {
  static const std::array<std::vector<Patch>, shape_count> all = [] {
    std::array<std::vector<Patch>, shape_count> made;
    for (int s = 1; s < shape_count; ++s) made[static_cast<std::size_t>(s)] = patches_of(static_cast<Shape>(s));
    return made;
  }();
  return all[static_cast<std::size_t>(shape)];
}

/// The place of reference coordinates, and with J its derivatives.
Point place(const Mesh& mesh, const CellBlock& block, Index local, const Point& xi, double* J) {
  std::array<double, max_nodes> phi;
  std::array<double, 3 * max_nodes> dphi;
  shape_functions(block.shape, block.order, xi.data(), phi.data(), dphi.data());
  jacobian(mesh, block, local, dphi.data(), J);
  Point x{};
  const Index* const nodes = block.cell(local);
  for (int i = 0; i < block.nodes_per_cell; ++i)
    for (int d = 0; d < mesh.dim; ++d) x[d] += phi[i] * mesh.point(nodes[i])[d];
  return x;
}

/// The nearest place of a patch, where it is inside of it: the step s of Gauss and Newton solves T^T T s = T^T (point -
/// x), T = dx/ds.
void look(const Mesh& mesh, const CellBlock& block, Index local, const Patch& patch, const Point& point,
          Nearest& nearest) {
  std::array<double, 2> s{patch.width == 2 && patch.triangle ? 1.0 / 3 : 0.5, patch.triangle ? 1.0 / 3 : 0.5};
  constexpr int most_steps = 20;
  for (int step = 0; step <= most_steps; ++step) {
    double J[9];
    const Point xi = patch.at(s), x = place(mesh, block, local, xi, J);
    double T[2][3] = {}, A[3] = {}, r[2] = {}, square = 0;
    for (int d = 0; d < mesh.dim; ++d) {
      square += (point[d] - x[d]) * (point[d] - x[d]);
      for (int a = 0; a < patch.width; ++a)
        for (int e = 0; e < mesh.dim; ++e) T[a][d] += J[3 * d + e] * patch.along[a][e];
    }
    for (int d = 0; d < mesh.dim; ++d) {
      A[0] += T[0][d] * T[0][d], A[1] += T[0][d] * T[1][d], A[2] += T[1][d] * T[1][d];
      for (int a = 0; a < patch.width; ++a) r[a] += T[a][d] * (point[d] - x[d]);
    }
    if (patch.width < 2) A[2] = 1;
    if (patch.width < 1) A[0] = 1;
    const double det = A[0] * A[2] - A[1] * A[1];
    if (!(det > 0)) return;
    const double change[2] = {(A[2] * r[0] - A[1] * r[1]) / det, (A[0] * r[1] - A[1] * r[0]) / det};
    constexpr double enough = 1e-12;
    if (std::max(std::abs(change[0]), std::abs(change[1])) < enough) {
      if (!patch.holds(s) || std::sqrt(square) >= nearest.distance) return;
      nearest.xi = xi;
      nearest.x = x;
      nearest.distance = std::sqrt(square);
      nearest.cell = block.first_cell + local;
      return;
    }
    for (int a = 0; a < patch.width; ++a) s[a] += std::clamp(change[a], -2.0, 2.0);
  }
}

}  // namespace

NearestPoints::NearestPoints(const Mesh& mesh) : mesh_(mesh), box_(bounding_box(mesh)), middles_(middles(mesh)) {
  for (Index cell = 0; cell < mesh.cells(); ++cell) {
    const BoundingBox box = box_of(mesh, cell);
    for (int d = 0; d < 3; ++d) most_ = std::max(most_, 0.5 * (box.max[d] - box.min[d]));
  }
}

Nearest NearestPoints::find(const Point& point) const {
  Nearest nearest;
  if (middles_.size() == 0) return nearest;
  // All cells within the radius are looked at; it grows until one of them is no farther.
  const double size = std::hypot(box_.max[0] - box_.min[0], box_.max[1] - box_.min[1], box_.max[2] - box_.min[2]);
  double radius = distance_to(box_, point) + 1e-3 * most_;
  while (true) {
    BoundingBox around;
    for (int d = 0; d < 3; ++d) {
      around.min[d] = point[d] - radius - most_;
      around.max[d] = point[d] + radius + most_;
    }
    middles_.in_box(around, [&](Index cell) {
      if (distance_to(box_of(mesh_, cell), point) > std::min(nearest.distance, radius)) return;
      const CellBlock& block = mesh_.block_of(cell);
      for (const Patch& patch : patches(block.shape))
        look(mesh_, block, cell - block.first_cell, patch, point, nearest);
    });
    if (nearest.distance <= radius || radius > 4 * (distance_to(box_, point) + size)) break;
    radius = std::isfinite(nearest.distance) ? nearest.distance * (1 + 1e-9) : 2 * radius;
  }
  if (nearest.cell < 0) return nearest;
  const BoundingBox box = box_of(mesh_, nearest.cell);
  for (int d = 0; d < 3; ++d) nearest.size = std::max(nearest.size, box.max[d] - box.min[d]);
  return nearest;
}

}  // namespace tessera::mesh
