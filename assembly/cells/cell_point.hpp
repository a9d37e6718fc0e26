#pragma once
// Points of cells.
#include "assembly/cells/view.hpp"
#include "assembly/space/jacobian.hpp"

namespace tessera::assembly {

/// Jacobian of the cell at a place, at a quadrature point.
template <int dim>
TESSERA_HD_INLINE inline void cell_jacobian(const BlockView& block, Offset place, int point, double (&J)[dim][dim]) {
  sum_jacobian<dim>(
      block.geometry_nodes, [&](int g) { return block.geometry_point(place, g); },
      block.map + static_cast<Offset>(point) * dim * block.geometry_nodes, J);
}

/// A quadrature point as forms see it that need more of the cell than the place of their coefficients.
template <int dim, class Geometry>
struct CellPoint : forms::Place {
  const BlockView& block;
  const Geometry& geometry;
  Offset cell_place;
  double inverse[dim][dim];  ///< J^-1
  double measure;            ///< weight times |det J|

  TESSERA_HD_INLINE CellPoint(const BlockView& of, const Geometry& points_of, Offset place, int q,
                              const double (&J)[dim][dim], double weight)
      : forms::Place(of.at(place, q)), block(of), geometry(points_of), cell_place(place) {
    measure = absolute(invert<dim, double>(J, inverse)) * weight;
  }

  TESSERA_HD_INLINE int order() const { return block.wide.order; }
  TESSERA_HD_INLINE int simplex_axes() const { return block.wide.simplex_axes; }
  /// Whether the basis has second derivatives.
  TESSERA_HD_INLINE bool second() const { return block.wide.rows > dim + 1; }
  /// to[d] += A : D^2 x_d with derivatives in reference coordinates; A packed.
  TESSERA_HD_INLINE void add_second_of_map(const double (&A)[tensor_size<dim>], double (&to)[dim]) const {
    if (!block.wide.map_second) return;
    const int nodes = block.geometry_nodes;
    const double* second = block.wide.map_second + static_cast<Offset>(point) * tensor_size<dim> * nodes;
    for (int g = 0; g < nodes; ++g) {
      double sum = 0;
      for (int m = 0; m < tensor_size<dim>; ++m) sum += A[m] * second[m * nodes + g];
      const double* x = geometry.point(cell_place, g);
      for (int d = 0; d < dim; ++d) to[d] += x[d] * sum;
    }
  }
};

/// Entry (i, j) at a point from the flux of column j.
template <int dim>
TESSERA_HD_INLINE inline double entry_of_flux(const forms::BasisRows& basis, int i, const double (&flux)[dim + 1]) {
  double sum = basis(0, i) * flux[0];
  for (int a = 1; a <= dim; ++a) sum += basis(a, i) * flux[a];
  return sum;
}

}  // namespace tessera::assembly
