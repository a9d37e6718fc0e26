#include "mesh/facet_map.hpp"

#include <algorithm>
#include <cmath>

#include "mesh/geometry.hpp"

namespace tessera::mesh {
namespace {

constexpr int most_iterations = 30;
/// In reference coordinates, whose unit is about the size of the facet.
constexpr double converged = 1e-13;

Vector3 difference(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vector3 unit(const Vector3& a) {
  const double length = std::sqrt(dot(a, a));
  return {a[0] / length, a[1] / length, a[2] / length};
}

/// Columns of dx/dxi.
std::array<Vector3, 2> slopes(const FacetMap& facet, const double* xi) {
  std::array<double, max_nodes> phi;
  std::array<double, 3 * max_nodes> dphi;
  const int dim = dimension(facet.shape);
  shape_functions(facet.shape, facet.order, xi, phi.data(), dphi.data());
  std::array<Vector3, 2> columns{};
  for (int n = 0; n < facet.nodes; ++n)
    for (int a = 0; a < dim; ++a)
      for (int d = 0; d < 3; ++d) columns[a][d] += dphi[n * dim + a] * facet.x[n][d];
  return columns;
}

/// Of the vertices, outward, for they are in the order of facet_nodes.
Vector3 normal_of(const FacetMap& facet, bool first_side) {
  if (facet.shape == Shape::point) return {first_side ? -1.0 : 1.0, 0, 0};
  const Vector3 along = difference(facet.x[1], facet.x[0]);
  if (facet.shape == Shape::interval) return unit({along[1], -along[0], 0});
  if (facet.shape == Shape::triangle) return unit(cross(along, difference(facet.x[2], facet.x[0])));
  return unit(cross(difference(facet.x[2], facet.x[0]), difference(facet.x[3], facet.x[1])));
}

}  // namespace

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double distance(const Vector3& a, const Vector3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

FacetMap::FacetMap(const Mesh& mesh, const CellSide& side) {
  const CellBlock& block = mesh.block_of(side.cell);
  const Index* const cell = block.cell(side.cell - block.first_cell);
  shape = topology(block.shape).facets[side.side].shape;
  order = block.order;
  nodes = 0;
  for (const std::int8_t local : facet_nodes(block.shape, side.side, block.order)) {
    const double* const at = mesh.point(cell[local]);
    x[nodes++] = {at[0], at[1], at[2]};
  }
  normal = normal_of(*this, side.side == 0);
}

FacetMap FacetMap::straight() const {
  FacetMap result = *this;
  result.order = 1;
  result.nodes = vertices();
  return result;
}

Vector3 FacetMap::at(const double* xi) const {
  if (shape == Shape::point) return x[0];
  std::array<double, max_nodes> phi;
  shape_functions(shape, order, xi, phi.data(), nullptr);
  Vector3 result{};
  for (int n = 0; n < nodes; ++n)
    for (int d = 0; d < 3; ++d) result[d] += phi[n] * x[n][d];
  return result;
}

double FacetMap::measure(const double* xi) const {
  if (shape == Shape::point) return 1;
  const std::array<Vector3, 2> columns = slopes(*this, xi);
  if (shape == Shape::interval) return std::sqrt(dot(columns[0], columns[0]));
  const Vector3 area = cross(columns[0], columns[1]);
  return std::sqrt(dot(area, area));
}

/// J^T J dxi = J^T (point - x)
bool FacetMap::nearest(const Vector3& point, double* xi) const {
  if (shape == Shape::point) return true;
  for (int step = 0; step < most_iterations; ++step) {
    const std::array<Vector3, 2> J = slopes(*this, xi);
    const Vector3 away = difference(point, at(xi));
    double move[2] = {};
    if (shape == Shape::interval) {
      move[0] = dot(J[0], away) / dot(J[0], J[0]);
    } else {
      const double a = dot(J[0], J[0]), b = dot(J[0], J[1]), c = dot(J[1], J[1]), det = a * c - b * b;
      const double r = dot(J[0], away), s = dot(J[1], away);
      move[0] = (c * r - b * s) / det;
      move[1] = (a * s - b * r) / det;
    }
    for (int a = 0; a < dimension(shape); ++a) xi[a] += move[a];
    const double length = std::hypot(move[0], move[1]);
    if (!std::isfinite(length)) return false;
    if (length < converged) return true;
  }
  return false;
}

double FacetMap::diameter() const {
  double result = 0;
  for (int a = 0; a < vertices(); ++a)
    for (int b = 0; b < a; ++b) result = std::max(result, distance(x[a], x[b]));
  return result;
}

FacetFrame::FacetFrame(const FacetMap& facet) : origin(facet.x[0]) {
  if (facet.shape == Shape::point) return;
  const Vector3 along = difference(facet.x[1], facet.x[0]);
  const double across = facet.shape == Shape::interval ? 0 : dot(along, facet.normal);
  e1 = unit(
      {along[0] - across * facet.normal[0], along[1] - across * facet.normal[1], along[2] - across * facet.normal[2]});
  if (facet.shape != Shape::interval) e2 = cross(facet.normal, e1);
}

std::array<double, 2> FacetFrame::project(const Vector3& x) const {
  const Vector3 from = difference(x, origin);
  return {dot(from, e1), dot(from, e2)};
}

Vector3 FacetFrame::lift(const std::array<double, 2>& p) const {
  Vector3 x;
  for (int d = 0; d < 3; ++d) x[d] = origin[d] + p[0] * e1[d] + p[1] * e2[d];
  return x;
}

}  // namespace tessera::mesh
