#include "assembly/space/quadrature_points.hpp"

#include <algorithm>

#include "assembly/space/quadrature.hpp"
#include "base/team.hpp"

namespace tessera::assembly {

int quadrature_degree(const mesh::CellBlock& cells, int order) {
  return 2 * std::max(order, cells.order) +
         (cells.shape == mesh::Shape::quad || cells.shape == mesh::Shape::hex ? 1 : 0);
}

QuadraturePoints::QuadraturePoints(const mesh::Mesh& mesh, const DofMap& map) : mesh_(mesh) {
  for (const mesh::CellBlock& cells : mesh.blocks) {
    const Quadrature& rule = quadrature(cells.shape, quadrature_degree(cells, map.order));
    maps_.emplace_back(cells, rule.points);
    per_cell_.push_back(rule.size());
    before_.push_back(before_.back() + Offset{cells.cells()} * rule.size());
  }
}

namespace {

/// The tabulated points of some cells of `nodes` nodes, [cells, points, 3].
template <int nodes>
void points_of(const GeometryMap& map, const mesh::Mesh& mesh, const Index* cell, Index cells, int points,
               double* xyz) {
  const double* const phi = map.phi.data();
  for (Index c = 0; c < cells; ++c, cell += nodes) {
    double at[3][nodes];
    for (int n = 0; n < nodes; ++n)
      for (int i = 0; i < 3; ++i) at[i][n] = mesh.point(cell[n])[i];
    for (int q = 0; q < points; ++q, xyz += 3) {
      double x[3] = {};
      for (int n = 0; n < nodes; ++n)
        for (int i = 0; i < 3; ++i) x[i] += phi[q * nodes + n] * at[i][n];
      for (int i = 0; i < 3; ++i) xyz[i] = x[i];
    }
  }
}

}  // namespace

void QuadraturePoints::of_cells(std::size_t block, Index first, Index count, double* xyz) const {
  const int points = per_cell_[block];
  const GeometryMap& map = maps_[block];
  const Index* const cell = mesh_.blocks[block].cell(first);
  if (map.nodes == 3) return points_of<3>(map, mesh_, cell, count, points, xyz);
  if (map.nodes == 4) return points_of<4>(map, mesh_, cell, count, points, xyz);
  if (map.nodes == 8) return points_of<8>(map, mesh_, cell, count, points, xyz);
  for (Index c = 0; c < count; ++c)
    for (int q = 0; q < points; ++q, xyz += 3) map.point(mesh_, cell + Offset{c} * map.nodes, q, xyz);
}

std::vector<double> cell_quadrature_points(const mesh::Mesh& mesh, const DofMap& map) {
  const QuadraturePoints points(mesh, map);
  std::vector<double> result(static_cast<std::size_t>(points.before(mesh.blocks.size())) * 3);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    double* out = result.data() + points.before(b) * 3;
    parallel_for(default_threads(), mesh.blocks[b].cells(),
                 [&](Index cell) { points.of_cells(b, cell, 1, out + Offset{cell} * points.per_cell(b) * 3); });
  }
  return result;
}

}  // namespace tessera::assembly
