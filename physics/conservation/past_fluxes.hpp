#pragma once
// Stages of Runge-Kutta schemes that are no convex sums of Euler steps: what fluxes of stages before bring to a row and
// to an edge. A. Ern & J.-L. Guermond, SIAM J. Sci. Comput. 44 (2022) A3366, section 4.
#include <cmath>
#include <type_traits>

#include "base/extremes.hpp"
#include "physics/conservation/graph.hpp"

namespace tessera::physics::conservation {

/// Stages before the one that is made.
inline constexpr int most_past = 2;

/// F(u) of each node is kept, and
///   P = sum_k w_k F(u_k) - (sum_k w_k) F(u)
/// made of it, by which the fluxes that the high order takes differ from F(u). Of n numbers dim columns,
/// [n, dim, nodes].
template <class Equation>
struct PastPass {
  using Real = typename Equation::Real;
  Equation equation;
  Offset stride;
  const Real *u, *node;
  int stages;                   ///< before this one
  Real weights[most_past];      ///< w_k
  const Real* past[most_past];  ///< F(u_k)
  Real* kept;                   ///< null: no later stage asks for it
  Real* sum;                    ///< P; of the first stage null

  TESSERA_HD void operator()(Offset node_number) const {
    constexpr int dim = Equation::dim, n = Equation::n;
    typename Equation::State own;
    equation.load(own, u, node, stride, static_cast<Index>(node_number));
    for (int d = 0; d < dim; ++d) {
      Real axis[dim] = {}, f[n];
      axis[d] = 1;
      own.flux(axis, f);
      for (int k = 0; k < n; ++k) {
        const Offset at = (k * dim + d) * stride + node_number;
        Real total = 0;
        for (int s = 0; s < stages; ++s) total += weights[s] * (past[s][at] - f[k]);
        if (sum) sum[at] = total;
        if (kept) kept[at] = f[k];
      }
    }
  }
};

/// P [n, dim, nodes] as rows see it.
template <class Equation>
struct PastFluxes {
  using Real = typename Equation::Real;
  static constexpr int dim = Equation::dim, n = Equation::n;
  Offset stride;
  const Real* sum;

  /// P_i c.
  TESSERA_HD_INLINE void along(Index i, const Real (&c)[dim], Real (&result)[n]) const {
    for (int k = 0; k < n; ++k) {
      result[k] = 0;
      for (int d = 0; d < dim; ++d) result[k] += sum[(k * dim + d) * stride + i] * c[d];
    }
  }

  /// -(P_i + P_j) (c_ij - c_ji) / 2, what an edge brings to i: of j the negative.
  TESSERA_HD_INLINE void of_edge(Index i, Index j, const EdgeCoefficients<dim, Real>& edge, Real (&f)[n]) const {
    Real c[dim], own[n], other[n];
    for (int d = 0; d < dim; ++d) c[d] = Real(-0.5) * (edge.c_ij[d] - edge.c_ji[d]);
    along(i, c, own);
    along(j, c, other);
    for (int k = 0; k < n; ++k) f[k] = own[k] + other[k];
  }

  /// What a row takes of it: all, -sum_j (P_j - P_i) c_ij, and what of this goes through the boundary, which no edge
  /// brings. Returns whether the node is on it: there sum_j c_ij = -c_ii is not 0.
  TESSERA_HD_INLINE bool of_row(const GraphViewOf<Real>& graph, Index i, Real (&all)[n], Real (&boundary)[n]) const {
    Real sum_of_c[dim] = {}, sum_of_sizes = 0;
    for (int k = 0; k < n; ++k) all[k] = boundary[k] = 0;
    const RowEntries edges = graph.at(i);
    for (int e = 0; e < edges.count; ++e) {
      const Offset entry = edges.first + e * edges.step;
      const Index j = graph.neighbour[entry];
      const EdgeCoefficients<dim, Real> edge = graph.template edge<dim>(entry, i, j);
      for (int d = 0; d < dim; ++d) {
        sum_of_c[d] += edge.c_ij[d];
        sum_of_sizes += std::fabs(edge.c_ij[d]);
      }
      Real own[n], other[n], of_edge_alone[n];
      along(i, edge.c_ij, own);
      along(j, edge.c_ij, other);
      of_edge(i, j, edge, of_edge_alone);
      for (int k = 0; k < n; ++k) {
        all[k] -= other[k] - own[k];
        boundary[k] -= other[k] - own[k] + of_edge_alone[k];
      }
    }
    constexpr Real rounding = Real(std::is_same_v<Real, double> ? 1e-10 : 1e-4);
    Real most = 0;
    for (int d = 0; d < dim; ++d) most = larger(most, std::fabs(sum_of_c[d]));
    return most > rounding * sum_of_sizes;
  }
};

}  // namespace tessera::physics::conservation
