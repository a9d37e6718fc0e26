#pragma once
// What an application does at a point for forms with several unknowns a node.
#include "forms/components.hpp"

namespace tessera::assembly::matrix_free {

/// f_c = sum_d C_cd p_d of p_d = (grad u_d, u_d). `tangent(c, d)` gives C_cd for c <= d, entry (a, b) as [a][b];
/// C_dc = C_cd^T. `values`: C has rows and columns of values; else p_d[dim] is not read, and f_c[dim] is 0.
template <int dim, int m, class V, class Tangent>
TESSERA_HD inline void multiply_pairs(const Tangent& tangent, bool values, const V (&p)[m][dim + 1],
                                      V (&f)[m][dim + 1]) {
  for (int c = 0; c < m; ++c)
    for (int a = 0; a <= dim; ++a) f[c][a] = V{};
  for (int c = 0; c < m; ++c)
    for (int d = c; d < m; ++d) {
      const auto& C = tangent(c, d);
      for (int a = 0; a < dim; ++a)
        for (int b = 0; b < dim; ++b) {
          f[c][a] += C[a][b] * p[d][b];
          if (c != d) f[d][b] += C[a][b] * p[c][a];
        }
      if (!values) continue;
      for (int a = 0; a < dim; ++a) {
        f[c][a] += C[a][dim] * p[d][dim];
        f[c][dim] += C[dim][a] * p[d][a];
        if (c == d) continue;
        f[d][dim] += C[a][dim] * p[c][a];
        f[d][a] += C[dim][a] * p[c][dim];
      }
      f[c][dim] += C[dim][dim] * p[d][dim];
      if (c != d) f[d][dim] += C[dim][dim] * p[c][dim];
    }
}

/// Reference gradients g and values u become reference fluxes: g_c = measure J^-1 f_c, u_c = measure f_c[dim] of
/// multiply_pairs; measure = w |det J|. Without values u is left alone.
template <int dim, int m, class V, class Tangent>
TESSERA_HD inline void apply_pairs(const V (&inverse)[dim][dim], V measure, const Tangent& tangent, bool values,
                                   V (&g)[m][dim], V (&u)[m]) {
  V p[m][dim + 1], f[m][dim + 1];
  for (int c = 0; c < m; ++c) {
    for (int d = 0; d < dim; ++d) {
      p[c][d] = inverse[0][d] * g[c][0];
      for (int a = 1; a < dim; ++a) p[c][d] += inverse[a][d] * g[c][a];
    }
    p[c][dim] = u[c];
  }
  multiply_pairs<dim, m, V>(tangent, values, p, f);
  for (int c = 0; c < m; ++c) {
    for (int a = 0; a < dim; ++a) {
      V sum = inverse[a][0] * f[c][0];
      for (int d = 1; d < dim; ++d) sum += inverse[a][d] * f[c][d];
      g[c][a] = measure * sum;
    }
    if (values) u[c] = measure * f[c][dim];
  }
}

}  // namespace tessera::assembly::matrix_free
