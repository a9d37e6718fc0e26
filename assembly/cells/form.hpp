#pragma once
#include "base/types.hpp"

namespace tessera::assembly {

/// Pointwise parts of the weak form  int k grad u . grad v + c u v  =  int f v: host-device functions without mesh loops.
/// `T` is a number, or a vector of numbers that stands for several elements at a time.

template <class T>
TESSERA_HD inline T absolute(const T& value) {
  return value < 0.0 ? -value : value;
}

/// Distinct entries of a symmetric tensor.
template <int dim>
inline constexpr int symmetric = dim*(dim + 1) / 2;

/// Place of entry (i, j), i <= j, in the packed upper triangle of an n x n matrix.
TESSERA_HD constexpr int packed(int i, int j, int n) { return i * n - i * (i - 1) / 2 + j - i; }

/// Values that are kept of an n x n element matrix: the upper half row by row where it is symmetric, else all rows.
TESSERA_HD constexpr int entry_count(bool symmetric, int n) { return symmetric ? n * (n + 1) / 2 : n * n; }
/// Which of them is entry (i, j).
TESSERA_HD constexpr int entry_number(bool symmetric, int i, int j, int n) {
  if (!symmetric) return i * n + j;
  return i <= j ? packed(i, j, n) : packed(j, i, n);
}

/// Inverse of a Jacobian J[d][a] = d x_d / d xi_a; returns its determinant.
template <int dim, class T>
TESSERA_HD inline T invert(const T (&J)[dim][dim], T (&inverse)[dim][dim]) {
  if constexpr (dim == 1) {
    inverse[0][0] = 1.0 / J[0][0];
    return J[0][0];
  } else if constexpr (dim == 2) {
    const T det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    const T r = 1.0 / det;
    inverse[0][0] = J[1][1] * r;
    inverse[0][1] = -J[0][1] * r;
    inverse[1][0] = -J[1][0] * r;
    inverse[1][1] = J[0][0] * r;
    return det;
  } else {
    const T c00 = J[1][1] * J[2][2] - J[1][2] * J[2][1];
    const T c10 = J[1][2] * J[2][0] - J[1][0] * J[2][2];
    const T c20 = J[1][0] * J[2][1] - J[1][1] * J[2][0];
    const T det = J[0][0] * c00 + J[0][1] * c10 + J[0][2] * c20;
    const T r = 1.0 / det;
    inverse[0][0] = c00 * r;
    inverse[1][0] = c10 * r;
    inverse[2][0] = c20 * r;
    inverse[0][1] = (J[0][2] * J[2][1] - J[0][1] * J[2][2]) * r;
    inverse[1][1] = (J[0][0] * J[2][2] - J[0][2] * J[2][0]) * r;
    inverse[2][1] = (J[0][1] * J[2][0] - J[0][0] * J[2][1]) * r;
    inverse[0][2] = (J[0][1] * J[1][2] - J[0][2] * J[1][1]) * r;
    inverse[1][2] = (J[0][2] * J[1][0] - J[0][0] * J[1][2]) * r;
    inverse[2][2] = (J[0][0] * J[1][1] - J[0][1] * J[1][0]) * r;
    return det;
  }
}

/// flux = k grad, with k of 1 or dim (dim+1)/2 components.
template <int dim, class T, class K>
TESSERA_HD inline void apply_diffusivity(const K* k, int components, const T (&grad)[dim], T (&flux)[dim]) {
  if (components == 1) {
    for (int d = 0; d < dim; ++d) flux[d] = k[0] * grad[d];
    return;
  }
  for (int d = 0; d < dim; ++d) {
    flux[d] = k[d == 0 ? 0 : packed(0, d, dim)] * grad[0];
    for (int e = 1; e < dim; ++e) flux[d] += k[d <= e ? packed(d, e, dim) : packed(e, d, dim)] * grad[e];
  }
}

/// G = scale J^-1 k J^-T, packed: the stiffness at a point is dphi_i . G dphi_j with reference gradients.
template <int dim>
TESSERA_HD inline void pull_back(const double* k, int components, const double (&inverse)[dim][dim], double scale,
                                 double* G) {
  for (int a = 0; a < dim; ++a) {
    double flux[dim];
    apply_diffusivity<dim>(k, components, inverse[a], flux);
    for (int b = a; b < dim; ++b) {
      double sum = 0;
      for (int d = 0; d < dim; ++d) sum += inverse[b][d] * flux[d];
      G[packed(a, b, dim)] = scale * sum;
    }
  }
}

/// |det J| of the map from the reference simplex over that from the unit simplex: the reference interval is [-1, 1].
template <int dim>
inline constexpr double reference_factor = dim == 1 ? 0.5 : 1.0;

/// Gradients of the vertex functions of a simplex; returns |det J| from the unit simplex (dim! times its measure).
template <int dim, class T>
TESSERA_HD inline T simplex_gradients(const T (&x)[dim + 1][dim], T (&grad)[dim + 1][dim]) {
  T J[dim][dim], inverse[dim][dim];
  for (int d = 0; d < dim; ++d)
    for (int a = 0; a < dim; ++a) J[d][a] = x[a + 1][d] - x[0][d];
  const T det = invert<dim, T>(J, inverse);
  for (int d = 0; d < dim; ++d) {
    grad[0][d] = -inverse[0][d];
    for (int a = 1; a < dim; ++a) grad[0][d] -= inverse[a][d];
    for (int a = 0; a < dim; ++a) grad[a + 1][d] = inverse[a][d];
  }
  return absolute(det);
}

/// Element matrix of a linear simplex, packed upper triangle: measure grad_i . k grad_j + measure c (1 + delta_ij)/((n)(n+1)).
/// `jacobian` is |det J|; `k` the mean diffusivity, `c` the mean reaction (a null `c`: none).
template <int dim, class T>
TESSERA_HD inline void simplex_matrix(const T (&grad)[dim + 1][dim], T jacobian, const T* k, int components, const T* c,
                                      T (&matrix)[(dim + 1) * (dim + 2) / 2]) {
  constexpr int n = dim + 1;
  constexpr double unit_measure = dim == 1 ? 1.0 : (dim == 2 ? 0.5 : 1.0 / 6);
  const T measure = jacobian * unit_measure;
  for (int i = 0; i < n; ++i) {
    T flux[dim];
    apply_diffusivity<dim, T>(k, components, grad[i], flux);
    for (int d = 0; d < dim; ++d) flux[d] *= measure;
    for (int j = i; j < n; ++j) {
      T sum = flux[0] * grad[j][0];
      for (int d = 1; d < dim; ++d) sum += flux[d] * grad[j][d];
      matrix[packed(i, j, n)] = sum;
    }
  }
  if (!c) return;
  const T off_diagonal = *c * measure * (1.0 / (n * (n + 1)));
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) matrix[packed(i, j, n)] += i == j ? off_diagonal + off_diagonal : off_diagonal;
}

}  // namespace tessera::assembly
