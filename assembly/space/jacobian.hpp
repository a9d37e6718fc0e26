#pragma once
#include "base/types.hpp"

namespace tessera::assembly {

/// J[d][a] = d x_d / d xi_a = sum_g x_g[d] slope(a, g) of a cell with `nodes` geometry nodes; point(g) gives the
/// coordinates of one.
template <int dim, class Point, class Slope>
TESSERA_HD_INLINE inline void sum_jacobian(int nodes, Point point, Slope slope, double (&J)[dim][dim]) {
  for (int d = 0; d < dim; ++d)
    for (int a = 0; a < dim; ++a) J[d][a] = 0;
  for (int g = 0; g < nodes; ++g) {
    const double* x = point(g);
    for (int a = 0; a < dim; ++a) {
      const double derivative = slope(a, g);
      for (int d = 0; d < dim; ++d) J[d][a] += x[d] * derivative;
    }
  }
}

/// The same from a table [dim, nodes] of the derivatives at one point.
template <int dim, class Point>
TESSERA_HD_INLINE inline void sum_jacobian(int nodes, Point point, const double* slopes, double (&J)[dim][dim]) {
  sum_jacobian<dim>(
      nodes, point, [&](int a, int g) { return slopes[a * nodes + g]; }, J);
}

}  // namespace tessera::assembly
