#pragma once
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "assembly/space/element.hpp"
#include "assembly/space/jacobian.hpp"
#include "forms/tensor.hpp"

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
    if (dim == 1) return sum<1>(mesh, cell, q, jacobian);
    if (dim == 2) return sum<2>(mesh, cell, q, jacobian);
    return dim == 3 ? sum<3>(mesh, cell, q, jacobian) : 1.0;
  }

  /// Inverse of a [dim, dim] matrix.
  static void invert(const double* a, int dim, double* inverse) {
    if (dim == 1) forms::invert<1, double>(matrix<1>(a), matrix<1>(inverse));
    if (dim == 2) forms::invert<2, double>(matrix<2>(a), matrix<2>(inverse));
    if (dim == 3) forms::invert<3, double>(matrix<3>(a), matrix<3>(inverse));
  }

 private:
  template <int d>
  static const double (&matrix(const double* a))[d][d] {
    return *reinterpret_cast<const double(*)[d][d]>(a);
  }
  template <int d>
  static double (&matrix(double* a))[d][d] {
    return *reinterpret_cast<double(*)[d][d]>(a);
  }
  template <int d>
  static double determinant(const double (&J)[d][d]) {
    if constexpr (d == 1) return J[0][0];
    if constexpr (d == 2) return J[0][0] * J[1][1] - J[0][1] * J[1][0];
    if constexpr (d == 3)
      return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
             J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
  }
  template <int d>
  double sum(const mesh::Mesh& mesh, const Index* cell, int q, double* jacobian) const {
    sum_jacobian<d>(
        nodes, [&](int n) { return mesh.point(cell[n]); }, [&](int a, int n) { return dphi[(q * nodes + n) * d + a]; },
        matrix<d>(jacobian));
    return determinant<d>(matrix<d>(jacobian));
  }
};

/// A nodal field on the cells of one block, tabulated at reference points [n, dim]. Values of neighbouring dofs stand
/// `stride` apart.
struct FieldMap {
  int nodes;
  int dim;
  std::vector<double> phi;   ///< [n, nodes]
  std::vector<double> dphi;  ///< [n, nodes, dim]

  FieldMap(const Element& element, std::span<const double> points) : nodes(element.nodes), dim(element.dim) {
    tabulate(element, points, phi, dphi);
  }
  FieldMap(mesh::Shape shape, int order, std::span<const double> points) : FieldMap(lagrange(shape, order), points) {}

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
