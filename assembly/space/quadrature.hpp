#pragma once
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::assembly {

inline constexpr int max_quadrature_degree = 40;

/// Points [size, dim] row-major and positive weights [size] on the reference cell; the weights sum to its measure.
struct Quadrature {
  int dim = 0;
  int degree = 0;
  std::vector<double> points;
  std::vector<double> weights;
  int size() const { return static_cast<int>(weights.size()); }
};

/// A rule that integrates polynomials up to `degree` exactly: total degree on simplices, degree per axis on interval,
/// quad and hex, total in the triangle and per axis along a prism. Shape point: one point of weight 1. Simplices use
/// symmetric rules with positive weights where there is one (triangle to degree 6, tet 1, 2, 4 to 6), otherwise the
/// collapsed Gauss-Jacobi product. Built once, kept for the whole run; thread-safe. Throws Error(usage) for a degree
/// outside 0 .. max_quadrature_degree.
const Quadrature& quadrature(mesh::Shape shape, int degree);

/// Gauss-Jacobi nodes (ascending) and weights on [-1,1] for the weight (1-x)^alpha, exact to degree 2 count - 1.
void gauss_jacobi(int count, int alpha, std::vector<double>& points, std::vector<double>& weights);

/// Gauss-Lobatto nodes on [-1,1], ends included, ascending; count >= 2.
void gauss_lobatto(int count, std::vector<double>& points);

}  // namespace tessera::assembly
