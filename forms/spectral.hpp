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

}  // namespace tessera::forms
