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

void QuadraturePoints::of_cells(std::size_t block, Index first, Index count, double* xyz) const {
  const int points = per_cell_[block];
  for (Index cell = first; cell < first + count; ++cell)
    for (int q = 0; q < points; ++q, xyz += 3) maps_[block].point(mesh_, mesh_.blocks[block].cell(cell), q, xyz);
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
