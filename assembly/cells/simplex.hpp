#pragma once
// Linear straight simplices in closed form.
#include "forms/tensor.hpp"

namespace tessera::assembly {

using forms::absolute;
using forms::invert;
using forms::packed;

/// |det J| of the map from the reference simplex over that from the unit simplex: the reference interval is [-1, 1].
template <int dim>
inline constexpr double reference_factor = dim == 1 ? 0.5 : 1.0;

/// Gradients of the vertex functions of a simplex; returns |det J| from the unit simplex (dim! times its measure).
template <int dim, class T>
TESSERA_HD_INLINE inline T simplex_gradients(const T (&x)[dim + 1][dim], T (&grad)[dim + 1][dim]) {
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

/// Element matrix of a linear simplex, packed upper triangle: measure grad_i . A grad_j + measure m (1 +
/// delta_ij)/((n)(n+1)), with the tensor A between gradients and the number m between values (null: none) constant on
/// the cell. `jacobian` is |det J|.
template <int dim, class T>
TESSERA_HD_INLINE inline void simplex_matrix(const T (&grad)[dim + 1][dim], T jacobian, const T* tensor, int components,
                                             const T* value, T (&matrix)[(dim + 1) * (dim + 2) / 2]) {
  constexpr int n = dim + 1;
  constexpr double unit_measure = dim == 1 ? 1.0 : (dim == 2 ? 0.5 : 1.0 / 6);
  const T measure = jacobian * unit_measure;
  for (int i = 0; i < n; ++i) {
    T flux[dim];
    forms::multiply_symmetric<dim, T>(tensor, components, grad[i], flux);
    for (int d = 0; d < dim; ++d) flux[d] *= measure;
    for (int j = i; j < n; ++j) {
      T sum = flux[0] * grad[j][0];
      for (int d = 1; d < dim; ++d) sum += flux[d] * grad[j][d];
      matrix[packed(i, j, n)] = sum;
    }
  }
  if (!value) return;
  const T off_diagonal = *value * measure * (1.0 / (n * (n + 1)));
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) matrix[packed(i, j, n)] += i == j ? off_diagonal + off_diagonal : off_diagonal;
}

}  // namespace tessera::assembly
