#pragma once
#include <vector>

#include "assembly/space/element.hpp"

namespace tessera::assembly::matrix_free {

/// Nodes, and Gauss points, of an axis at the highest order.
inline constexpr int max_line = max_order + 1;

/// The one-dimensional tables of an order: n = order + 1 nodes and as many Gauss points on [-1,1].
struct LineTables {
  int n = 0;
  double points[max_line] = {};
  double weights[max_line] = {};
  double basis[max_line * max_line] = {};       ///< [points, nodes]: phi_i(x_q)
  double derivative[max_line * max_line] = {};  ///< [points, nodes]: phi_i'(x_q)
  double slope[max_line * max_line] =
      {};  ///< [points, points]: l_m'(x_q) with the Lagrange polynomials of the Gauss points
};
LineTables line_tables(int order);

/// Local nodes of a quad or hex in the order of their lattice, x fastest.
std::vector<int> lexicographic_nodes(const Element& element);

/// Whether lattice place `l` of n^dim lies inside the cell, and so belongs to this cell alone.
TESSERA_HD inline bool is_interior(int l, int n, int dim) {
  for (int axis = 0; axis < dim; ++axis, l /= n)
    if (l % n == 0 || l % n == n - 1) return false;
  return true;
}

}  // namespace tessera::assembly::matrix_free
