#pragma once
// Laws of spectral elements: what a gradient makes of itself at a point, for host and device.
//
// A law is a type with
//   components(dim)     unknowns a node,
//   coefficients(dim)   numbers of the material at a point,
//   flux<dim>(k, g, s)  s[c][d], the flux of component c along axis d, of g[c][d] = d u_c / d x_d; K u = -div s.
// V is a number, or a vector of numbers of several cells.
#include "base/types.hpp"

namespace tessera::forms {

/// s = k grad u: of a pressure with k = 1 / rho, of shear waves out of the plane with k = mu.
struct GradientFlux {
  static constexpr int components(int) { return 1; }
  static constexpr int coefficients(int) { return 1; }
  template <int dim, class V>
  TESSERA_HD_INLINE static void flux(const V* k, const V (&g)[1][dim], V (&s)[1][dim]) {
    for (int d = 0; d < dim; ++d) s[0][d] = k[0] * g[0][d];
  }
};

/// s = lambda (div u) I + mu (grad u + grad u^T): linear elasticity, in two dimensions plane strain. k: lambda, mu.
struct IsotropicStress {
  static constexpr int components(int dim) { return dim; }
  static constexpr int coefficients(int) { return 2; }
  template <int dim, class V>
  TESSERA_HD_INLINE static void flux(const V* k, const V (&g)[dim][dim], V (&s)[dim][dim]) {
    V divergence = g[0][0];
    for (int d = 1; d < dim; ++d) divergence += g[d][d];
    const V pressure = k[0] * divergence;
    for (int c = 0; c < dim; ++c) {
      for (int d = 0; d < c; ++d) s[c][d] = s[d][c] = k[1] * (g[c][d] + g[d][c]);
      s[c][c] = pressure + k[1] * (g[c][c] + g[c][c]);
    }
  }
};

/// Entry (i, j), i <= j, of a symmetric n x n matrix whose upper triangle is stored by rows.
TESSERA_HD_INLINE constexpr int upper(int n, int i, int j) {
  const int row = i < j ? i : j, column = i < j ? j : i;
  return row * n - row * (row - 1) / 2 + (column - row);
}

/// s = C : (grad u + grad u^T) / 2 of any elastic solid. k: the upper triangle of C in Voigt's notation by rows; in two
/// dimensions xx yy xy (6 numbers), in three xx yy zz yz xz xy (21).
struct AnisotropicStress {
  static constexpr int components(int dim) { return dim; }
  static constexpr int coefficients(int dim) { return dim == 2 ? 6 : 21; }
  static constexpr int strains(int dim) { return dim * (dim + 1) / 2; }
  template <int dim, class V>
  TESSERA_HD_INLINE static void flux(const V* k, const V (&g)[dim][dim], V (&s)[dim][dim]) {
    V e[strains(dim)];
    strain<dim, V>(g, e);
    stress<dim, V>(k, e, s);
  }
  /// In Voigt's notation.
  template <int dim, class V>
  TESSERA_HD_INLINE static void strain(const V (&g)[dim][dim], V (&e)[strains(dim)]) {
    for (int d = 0; d < dim; ++d) e[d] = g[d][d];
    e[strains(dim) - 1] = g[0][1] + g[1][0];
    if constexpr (dim == 3) {
      e[3] = g[1][2] + g[2][1];
      e[4] = g[0][2] + g[2][0];
    }
  }
  template <int dim, class V>
  TESSERA_HD_INLINE static void stress(const V* k, const V (&e)[strains(dim)], V (&s)[dim][dim]) {
    constexpr int n = strains(dim);
    V stress[n];
    for (int i = 0; i < n; ++i) {
      stress[i] = k[upper(n, i, 0)] * e[0];
      for (int j = 1; j < n; ++j) stress[i] += k[upper(n, i, j)] * e[j];
    }
    for (int d = 0; d < dim; ++d) s[d][d] = stress[d];
    s[0][1] = s[1][0] = stress[n - 1];
    if constexpr (dim == 3) {
      s[1][2] = s[2][1] = stress[3];
      s[0][2] = s[2][0] = stress[4];
    }
  }
};

}  // namespace tessera::forms
