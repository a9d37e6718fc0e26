#pragma once
// Monolithic convex limiting: what an edge may bring does not depend on the step, so that a steady state is one of
// the limited scheme. D. Kuzmin, Comput. Methods Appl. Mech. Eng. 361 (2020) 112804.
#include "physics/conservation/rows.hpp"

namespace tessera::physics::conservation {

/// m_i du_i/dt = R_i^L + sum_j l_ij f_ij with f_ij that of rows.hpp. The low order is made of states half way,
///   u_ij = (u_i + u_j) / 2 - (F_j - F_i) c_ij / (2 d_ij),   R_i^L = sum_j 2 d_ij (u_ij - u_i),
/// and l_ij = l_ji is the largest part with which u_ij + l_ij f_ij / (2 d_ij) keeps the bounds of i, and
/// u_ji - l_ij f_ij / (2 d_ij) those of j. Where 2 dt sum_j d_ij <= m_i, u_i after dt is a mean of such states. Reads
/// c. `keeps`: l_ij is kept, as the mean with the one before that PassViews::blend says.
template <class Equation, bool keeps = false>
struct MonolithicPass {
  using Real = typename Equation::Real;
  static constexpr int dim = Equation::dim, n = Equation::n, held = Equation::bounds - Equation::guards;
  PassViews<Equation> v;
  StepLength dt;
  bool consistent;
  double share;  ///< as in LimitPass
  const double* start;
  double* to;

  struct End {
    typename Equation::State state;
    Real rate[n], bounds[Equation::bounds];
    Real alpha, weight;
  };
  TESSERA_HD_INLINE void load(Index i, End& end) const {
    v.load(end.state, i);
    const Real* const bounds = v.middle + middle_bounds<Equation> * v.stride;
    for (int k = 0; k < n; ++k) end.rate[k] = v.middle[k * v.stride + i];
    for (int k = 0; k < Equation::bounds; ++k) end.bounds[k] = bounds[k * v.stride + i];
    end.alpha = v.smooth[i];
    end.weight = v.weight[i];
  }

  TESSERA_HD void operator()(Offset row) const {
    const Index i = static_cast<Index>(row);
    End own;
    load(i, own);
    Real sum[n] = {};
    const RowEntries edges = v.graph.at(i);
    for (int e = 0; e < edges.count; ++e) {
      const Offset entry = edges.first + e * edges.step;
      const Index j = v.graph.neighbour[entry];
      const Real d = v.viscosity[entry];
      if (!(d > 0)) continue;
      End other;
      load(j, other);
      // f_ij, which is -f_ji to rounding.
      const Real by = d * (Real(0.5) * (own.alpha + other.alpha) - 1);
      const Real mass = consistent ? v.graph.mass[entry] : 0;
      Real f[n];
      for (int k = 0; k < n; ++k)
        f[k] = by * (other.state.u[k] - own.state.u[k]) + mass * (own.rate[k] - other.rate[k]);
      Real l = 0;
      if (!keeps || v.blend > 0) {
        const EdgeCoefficients<dim, Real> edge = v.graph.template edge<dim>(entry, i, j);
        const Real half = Real(0.5) / d;
        const Real l_i = limited(own, other, edge.c_ij, f, half), l_j = limited(other, own, edge.c_ji, f, -half);
        l = smaller(l_i, l_j);
      }
      if constexpr (keeps) {
        if (v.blend < 1) l = v.part[entry] + v.blend * (l - v.part[entry]);
        v.part[entry] = l;
      }
      for (int k = 0; k < n; ++k) sum[k] += l * f[k];
    }
    const double by = dt() * reciprocal(v.graph.lumped_mass[i]);
    for (int k = 0; k < n; ++k) {
      const Offset at = k * v.stride + i;
      const double before = share > 0 ? share * start[at] : 0;
      to[at] = before + (1 - share) * (v.low_order(k, i) + v.units.in_state(k, by * sum[k]));
    }
  }

  /// The part that `end` allows; `half` is 1 / (2 d), negative where f is brought to the other.
  TESSERA_HD_INLINE Real limited(const End& end, const End& other, const Real (&c)[dim], const Real (&f)[n],
                                 Real half) const {
    if (end.weight == 0) return 1;  // it is prescribed
    Real f_here[n], f_there[n], from[n], by[n], bounds[Equation::bounds];
    end.state.flux(c, f_here);
    other.state.flux(c, f_there);
    for (int k = 0; k < n; ++k) {
      from[k] = Real(0.5) * (end.state.u[k] + other.state.u[k]) - std::fabs(half) * (f_there[k] - f_here[k]);
      by[k] = half * f[k];
    }
    for (int k = 0; k < Equation::bounds; ++k) bounds[k] = end.bounds[k];
    if constexpr (Equation::guards > 0) bounds[held] = v.equation.guard(bounds, from);
    return v.equation.part(bounds, from, by);
  }
};

}  // namespace tessera::physics::conservation
