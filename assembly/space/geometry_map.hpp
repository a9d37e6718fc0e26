#pragma once
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "assembly/space/element.hpp"

namespace tessera::assembly {

/// The geometric map X -> x of the cells of one block, tabulated at reference points [n, dim]; evaluated on the host.
struct GeometryMap {
  int nodes;
  int dim;
  std::vector<double> phi;   ///< [n, nodes]
  std::vector<double> dphi;  ///< [n, nodes, dim]

  GeometryMap(const mesh::CellBlock& block, std::span<const double> points)
      : nodes(block.nodes_per_cell), dim(mesh::dimension(block.shape)) {
    tabulate(lagrange(block.shape, block.order), points, phi, dphi);
  }

  /// x of tabulated point q in the cell with these nodes; x has room for 3.
  void point(const mesh::Mesh& mesh, const Index* cell, int q, double* x) const {
    x[0] = x[1] = x[2] = 0;
    for (int n = 0; n < nodes; ++n)
      for (int i = 0; i < 3; ++i) x[i] += phi[q * nodes + n] * mesh.point(cell[n])[i];
  }

  /// jacobian: [dim, dim] row-major, dx_i / dX_j. Returns its determinant.
  double jacobian(const mesh::Mesh& mesh, const Index* cell, int q, double* jacobian) const {
    for (int i = 0; i < dim * dim; ++i) jacobian[i] = 0;
    for (int n = 0; n < nodes; ++n)
      for (int i = 0; i < dim; ++i)
        for (int j = 0; j < dim; ++j) jacobian[i * dim + j] += mesh.point(cell[n])[i] * dphi[(q * nodes + n) * dim + j];
    return determinant(jacobian, dim);
  }

  static double determinant(const double* a, int dim) {
    if (dim == 0) return 1;
    if (dim == 1) return a[0];
    if (dim == 2) return a[0] * a[3] - a[1] * a[2];
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
  }

  /// Inverse of a [dim, dim] matrix with its determinant.
  static void invert(const double* a, double det, int dim, double* inverse) {
    const double s = 1 / det;
    if (dim == 1) {
      inverse[0] = s;
    } else if (dim == 2) {
      inverse[0] = s * a[3], inverse[1] = -s * a[1], inverse[2] = -s * a[2], inverse[3] = s * a[0];
    } else if (dim == 3) {
      inverse[0] = s * (a[4] * a[8] - a[5] * a[7]);
      inverse[1] = s * (a[2] * a[7] - a[1] * a[8]);
      inverse[2] = s * (a[1] * a[5] - a[2] * a[4]);
      inverse[3] = s * (a[5] * a[6] - a[3] * a[8]);
      inverse[4] = s * (a[0] * a[8] - a[2] * a[6]);
      inverse[5] = s * (a[2] * a[3] - a[0] * a[5]);
      inverse[6] = s * (a[3] * a[7] - a[4] * a[6]);
      inverse[7] = s * (a[1] * a[6] - a[0] * a[7]);
      inverse[8] = s * (a[0] * a[4] - a[1] * a[3]);
    }
  }
};

/// A nodal field on the cells of one block, tabulated at reference points [n, dim]. Values of neighbouring dofs stand `stride` apart.
struct FieldMap {
  int nodes;
  int dim;
  std::vector<double> phi;   ///< [n, nodes]
  std::vector<double> dphi;  ///< [n, nodes, dim]

  FieldMap(mesh::Shape shape, int order, std::span<const double> points) : dim(mesh::dimension(shape)) {
    const Element& element = lagrange(shape, order);
    nodes = element.nodes;
    tabulate(element, points, phi, dphi);
  }

  double value(const Index* dofs, const double* u, int q, Offset stride = 1) const {
    double sum = 0;
    for (int n = 0; n < nodes; ++n) sum += phi[q * nodes + n] * u[dofs[n] * stride];
    return sum;
  }

  /// gradient_i = sum_j inverse_ji du/dX_j with inverse = dX/dx, [dim, dim].
  void gradient(const Index* dofs, const double* u, int q, const double* inverse, double* gradient,
                Offset stride = 1) const {
    std::array<double, 3> reference{};
    for (int n = 0; n < nodes; ++n)
      for (int j = 0; j < dim; ++j) reference[j] += dphi[(q * nodes + n) * dim + j] * u[dofs[n] * stride];
    for (int i = 0; i < dim; ++i) {
      gradient[i] = 0;
      for (int j = 0; j < dim; ++j) gradient[i] += inverse[j * dim + i] * reference[j];
    }
  }
};

/// Quadrature degree at which an integrand of `degree` in reference coordinates, times det J, is integrated exactly.
inline int degree_with_geometry(mesh::Shape shape, int geometry_order, int degree) {
  const int dim = mesh::dimension(shape);
  const bool simplex = shape == mesh::Shape::point || shape == mesh::Shape::interval ||
                       shape == mesh::Shape::triangle || shape == mesh::Shape::tet;
  return degree + (simplex ? dim * (geometry_order - 1) : dim * geometry_order - 1);
}

}  // namespace tessera::assembly
