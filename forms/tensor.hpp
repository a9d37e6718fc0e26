#pragma once
// Small tensors on host and device.
#include "base/types.hpp"

namespace tessera::forms {

/// `T` is a number, or a vector of numbers that stands for several points at a time.
template <class T>
TESSERA_HD_INLINE inline T absolute(const T& value) {
  return value < 0.0 ? -value : value;
}

/// Distinct entries of a symmetric tensor: 2-D xx xy yy, 3-D xx xy xz yy yz zz.
template <int dim>
inline constexpr int tensor_size = dim*(dim + 1) / 2;

/// Place of entry (i, j), i <= j, in the packed upper triangle of an n x n matrix.
TESSERA_HD constexpr int packed(int i, int j, int n) { return i * n - i * (i - 1) / 2 + j - i; }

/// The same for any i and j of a symmetric matrix.
TESSERA_HD constexpr int packed_symmetric(int i, int j, int n) { return i <= j ? packed(i, j, n) : packed(j, i, n); }

/// Inverse of a Jacobian J[d][a] = d x_d / d xi_a; returns its determinant.
template <int dim, class T>
TESSERA_HD_INLINE inline T invert(const T (&J)[dim][dim], T (&inverse)[dim][dim]) {
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

/// result = A v with a symmetric A of tensor_size<dim> components, or A = a identity of one.
template <int dim, class T, class A>
TESSERA_HD_INLINE inline void multiply_symmetric(const A* a, int components, const T (&v)[dim], T (&result)[dim]) {
  if (components == 1) {
    for (int d = 0; d < dim; ++d) result[d] = a[0] * v[d];
    return;
  }
  for (int d = 0; d < dim; ++d) {
    result[d] = a[d == 0 ? 0 : packed(0, d, dim)] * v[0];
    for (int e = 1; e < dim; ++e) result[d] += a[packed_symmetric(d, e, dim)] * v[e];
  }
}

/// G = scale J^-1 A J^-T, packed: what stands between reference gradients where A stands between gradients.
template <int dim>
TESSERA_HD_INLINE inline void pull_back(const double* a, int components, const double (&inverse)[dim][dim],
                                        double scale, double* G) {
  for (int i = 0; i < dim; ++i) {
    double flux[dim];
    multiply_symmetric<dim>(a, components, inverse[i], flux);
    for (int j = i; j < dim; ++j) {
      double sum = 0;
      for (int d = 0; d < dim; ++d) sum += inverse[j][d] * flux[d];
      G[packed(i, j, dim)] = scale * sum;
    }
  }
}

}  // namespace tessera::forms
