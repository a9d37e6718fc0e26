#pragma once
// Tables of integrals of a solution over cells or sides of cells, on the host.
#include <array>
#include <cmath>

#include "assembly/space/geometry_map.hpp"
#include "assembly/space/quadrature.hpp"

namespace tessera::assembly {

/// Most sides of a shape.
inline constexpr int most_sides = 6;

/// One side of the cells of a block, or for side = -1 the cells themselves: rule, points in the cell, geometry and
/// field there. The rule is exact for products of two basis functions with the Jacobian.
struct SideTables {
  const Quadrature& rule;
  std::vector<double> points;
  GeometryMap geometry;
  FieldMap field;
  std::array<double, 3> normal{};  ///< reference_normal of the side

  /// `weighs`: integrands have the weight r, which is of the degree of the geometry.
  SideTables(const mesh::CellBlock& cells, int order, int side, bool weighs, LineNodes nodes = LineNodes::standard)
      : rule(choose(cells, order, side, weighs)),
        points(side < 0 ? rule.points : facet_to_cell(cells.shape, side, rule.points)),
        geometry(cells, points),
        field(lagrange(cells.shape, order, nodes), points) {
    if (side >= 0) normal = reference_normal(cells.shape, side);
  }

  /// n dS / dS_ref = |det J| J^-T n_ref  (Nanson); returns its length. inverse: J^-1.
  double scaled_normal(double det, const double* inverse, double* n) const {
    double square = 0;
    for (int i = 0; i < geometry.dim; ++i) {
      n[i] = 0;
      for (int j = 0; j < geometry.dim; ++j) n[i] += std::abs(det) * inverse[j * geometry.dim + i] * normal[j];
      square += n[i] * n[i];
    }
    return std::sqrt(square);
  }

 private:
  static const Quadrature& choose(const mesh::CellBlock& cells, int order, int side, bool weighs) {
    const mesh::Shape shape = side < 0 ? cells.shape : mesh::topology(cells.shape).facets[side].shape;
    return quadrature(shape, degree_with_geometry(cells.shape, cells.order, 2 * order + (weighs ? cells.order : 0)));
  }
};

}  // namespace tessera::assembly
