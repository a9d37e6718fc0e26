#pragma once
#include "forms/tangent.hpp"

namespace tessera::assembly::matrix_free {

using forms::absolute;
using forms::invert;
using forms::packed;
using forms::packed_symmetric;
using forms::tensor_size;

/// adjugate = det(J) J^-1; returns det(J). J[d][a] = dx_d / dxi_a.
template <int dim, class V>
TESSERA_HD inline V adjugate(const V (&J)[dim][dim], V (&adj)[dim][dim]) {
  if constexpr (dim == 2) {
    adj[0][0] = J[1][1], adj[0][1] = -J[0][1], adj[1][0] = -J[1][0], adj[1][1] = J[0][0];
    return J[0][0] * J[1][1] - J[0][1] * J[1][0];
  } else {
    adj[0][0] = J[1][1] * J[2][2] - J[1][2] * J[2][1];
    adj[1][0] = J[1][2] * J[2][0] - J[1][0] * J[2][2];
    adj[2][0] = J[1][0] * J[2][1] - J[1][1] * J[2][0];
    adj[0][1] = J[0][2] * J[2][1] - J[0][1] * J[2][2];
    adj[1][1] = J[0][0] * J[2][2] - J[0][2] * J[2][0];
    adj[2][1] = J[0][1] * J[2][0] - J[0][0] * J[2][1];
    adj[0][2] = J[0][1] * J[1][2] - J[0][2] * J[1][1];
    adj[1][2] = J[0][2] * J[1][0] - J[0][0] * J[1][2];
    adj[2][2] = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    return J[0][0] * adj[0][0] + J[0][1] * adj[1][0] + J[0][2] * adj[2][0];
  }
}

/// g = w |det J| J^-1 C J^-T g, from the reference gradient to the reference flux, with a symmetric tensor C; returns w
/// |det J|. The inverse is never formed: with A = adj(J) it is (w / |det J|) A C A^T g, one division.
template <int dim, class V, class C>
TESSERA_HD inline V apply_point(const V (&J)[dim][dim], V weight, const C* tensor, int components, V (&g)[dim]) {
  V adj[dim][dim], physical[dim], flux[dim];
  const V det = absolute(adjugate<dim, V>(J, adj));
  for (int d = 0; d < dim; ++d) {
    physical[d] = adj[0][d] * g[0];
    for (int a = 1; a < dim; ++a) physical[d] += adj[a][d] * g[a];
  }
  forms::multiply_symmetric<dim, V, C>(tensor, components, physical, flux);
  const V scale = weight / det;
  for (int a = 0; a < dim; ++a) {
    V sum = adj[a][0] * flux[0];
    for (int d = 1; d < dim; ++d) sum += adj[a][d] * flux[d];
    g[a] = scale * sum;
  }
  return weight * det;
}

/// The same for a form at a place, whose tensor is tensor(), evaluated where the form couples gradients; without, the
/// flux is zero.
template <int dim, class Form, class V, class Tensor>
TESSERA_HD inline V apply_form(const V (&J)[dim][dim], V weight, const Tensor& tensor, V (&g)[dim]) {
  if constexpr ((Form::couples & forms::gradient_gradient) != 0) {
    const auto at_point = tensor();
    return apply_point<dim>(J, weight, at_point.values, at_point.components, g);
  } else {
    V adj[dim][dim];
    for (int d = 0; d < dim; ++d) g[d] = V{};
    return weight * absolute(adjugate<dim, V>(J, adj));
  }
}

/// g = G g with a symmetric G stored with `stride` from entry to entry.
template <int dim, class V, class Load>
TESSERA_HD inline void apply_factors(Load G, V (&g)[dim]) {
  V flux[dim];
  for (int a = 0; a < dim; ++a) {
    flux[a] = G(a == 0 ? 0 : packed(0, a, dim)) * g[0];
    for (int b = 1; b < dim; ++b) flux[a] += G(packed_symmetric(a, b, dim)) * g[b];
  }
  for (int a = 0; a < dim; ++a) g[a] = flux[a];
}

/// The Jacobian of a multilinear cell along a line in direction x: its first column is constant, the others grow with
/// xi. The map is x = sum_m c_m prod_{a in m} xi_a over subsets m of the axes (bit a of m); c_m, m >= 1, stand at (m -
/// 1) dim.
template <int dim, class V>
struct LineJacobian {
  V constant[dim];
  V base[dim - 1][dim];
  V growth[dim - 1][dim];

  /// `c(i)` gives entry i of the cell's map; eta and zeta (3-D) are the line's place.
  template <class Map, class Point>
  TESSERA_HD LineJacobian(Map c, Point eta, Point zeta) {
    for (int d = 0; d < dim; ++d) {
      if constexpr (dim == 2) {
        const V xy = c(2 * dim + d);
        constant[d] = c(d) + eta * xy;
        base[0][d] = c(dim + d);
        growth[0][d] = xy;
      } else {
        const V xy = c(2 * dim + d), xz = c(4 * dim + d), yz = c(5 * dim + d), xyz = c(6 * dim + d);
        growth[0][d] = xy + zeta * xyz;
        growth[1][d] = xz + eta * xyz;
        constant[d] = c(d) + eta * growth[0][d] + zeta * xz;
        base[0][d] = c(dim + d) + zeta * yz;
        base[1][d] = c(3 * dim + d) + eta * yz;
      }
    }
  }

  template <class Point>
  TESSERA_HD void at(Point xi, V (&J)[dim][dim]) const {
    for (int d = 0; d < dim; ++d) {
      J[d][0] = constant[d];
      for (int a = 1; a < dim; ++a) J[d][a] = base[a - 1][d] + xi * growth[a - 1][d];
    }
  }
};

/// Entries of the map of a multilinear cell: dim (2^dim - 1).
template <int dim>
inline constexpr int map_entries = dim*((1 << dim) - 1);

}  // namespace tessera::assembly::matrix_free
