#pragma once
// The passes of the scheme, each at one node or row; scheme.hpp has the formulas. An Equation says what law it is:
//   dim, n             dimensions, numbers of a state
//   State, load        a node as a row sees it: u, and flux(c, f), which makes F(u) c
//   node_count, at_node  what follows from the state of a node alone, kept beside it
//   viscosity          d_ij of an edge
//   Row, row, add      what a row gathers of its neighbours, of which
//   bounds_of, settle  make the bounds: the last `guards` of them follow from the others and a state by guard()
//   indicator          alpha of a node
//   part               how much of a direction keeps the bounds
//   is_admissible      whether a state is one
#include <type_traits>

#include "base/reciprocal.hpp"
#include "physics/conservation/graph.hpp"

namespace tessera::physics::conservation {

/// What follows from the state of a node alone.
template <class Equation>
struct NodePass {
  Equation equation;
  Offset stride;
  const double* u;
  double* node;

  TESSERA_HD void operator()(Offset i) const {
    double own[Equation::n];
    for (int k = 0; k < Equation::n; ++k) own[k] = u[k * stride + i];
    equation.at_node(own, i, stride, node);
  }
};

/// Vectors between the passes: S = R / m, the state of low order (first its rates), and the bounds (first as a row has
/// gathered them).
template <class Equation>
inline constexpr int middle_low = Equation::n;
template <class Equation>
inline constexpr int middle_bounds = 2 * Equation::n;
template <class Equation>
inline constexpr int middle_numbers = 2 * Equation::n + Equation::bounds;

template <class Equation>
struct PassViews {
  GraphView graph;
  Equation equation;
  Offset stride = 0;               ///< nodes seen
  const double* u = nullptr;       ///< [n, stride]
  const double* node = nullptr;    ///< [node_count, stride]
  double* viscosity = nullptr;     ///< [entries] d_ij
  double* part = nullptr;          ///< [entries] l_ij
  double* middle = nullptr;        ///< [middle_numbers, stride]
  double* smooth = nullptr;        ///< [2, stride] alpha, and the second difference of the first number
  double* longest = nullptr;       ///< [owned] m_i / (2 sum_j d_ij), -1 where the state is none
  double* low = nullptr;           ///< [n + guards, stride] the state after the first pass of the limiter, and guards
  const double* weight = nullptr;  ///< [stride] n_i / m_i; 0: the state is prescribed
  const double* relaxation = nullptr;  ///< [owned]

  TESSERA_HD_INLINE void load(typename Equation::State& state, Index i) const {
    equation.load(state, u, node, stride, i);
  }
};

/// Viscosities, rates of low order, and with `limited` bounds and the indicator. Reads c.
template <class Equation, bool limited>
struct RatesPass {
  static constexpr int dim = Equation::dim, n = Equation::n;
  PassViews<Equation> v;
  double factor;          ///< of the indicator
  double inverse_length;  ///< 1 over the length of the domain

  TESSERA_HD void operator()(Offset node) const {
    const Index i = static_cast<Index>(node);
    typename Equation::State own;
    v.load(own, i);
    double transport[n] = {}, diffusion[n] = {}, sum = 0, difference = 0;
    typename Equation::Row row = v.equation.row(own);
    v.graph.each(i, [&](Offset entry, Index j) {
      typename Equation::State other;
      v.load(other, j);
      const assembly::EdgeAt<dim> edge = v.graph.template edge<dim>(entry, i, j);
      const double d = v.equation.viscosity(own, other, edge);
      v.viscosity[entry] = d;
      sum += d;
      double f_i[n], f_j[n];
      own.flux(edge.c_ij, f_i);
      other.flux(edge.c_ij, f_j);
      for (int k = 0; k < n; ++k) {
        transport[k] += f_j[k] - f_i[k];
        diffusion[k] += d * (other.u[k] - own.u[k]);
      }
      if constexpr (limited) {
        v.equation.add(row, own, other, edge, d, f_i, f_j);
        difference += own.u[0] - other.u[0];
      }
    });
    for (int k = 0; k < n; ++k) v.middle[(middle_low<Equation> + k) * v.stride + i] = diffusion[k] - transport[k];
    v.longest[i] = v.equation.is_admissible(own.u) && sum < 1e300 ? 0.5 * v.graph.lumped_mass[i] / sum : -1;
    if constexpr (limited) {
      double bounds[Equation::bounds];
      v.equation.bounds_of(row, bounds);
      for (int k = 0; k < Equation::bounds; ++k) v.middle[(middle_bounds<Equation> + k) * v.stride + i] = bounds[k];
      v.smooth[i] = v.weight[i] > 0
                        ? v.equation.indicator(row, own, transport, v.graph.lumped_mass[i], factor, inverse_length)
                        : 0;
      const int count = v.graph.degree[i];
      v.smooth[v.stride + i] = count > 0 ? difference / count : 0;
    }
  }
};

/// R / m of the high order, the state of low order after dt, and the bounds as they are held. Reads d.
template <class Equation>
struct MiddlePass {
  PassViews<Equation> v;
  double dt;
  bool relaxed;

  TESSERA_HD void operator()(Offset row) const {
    constexpr int n = Equation::n;
    const Index i = static_cast<Index>(row);
    const Offset stride = v.stride;
    double own[n], low[n], rates[n], sum_of_differences = 0;
    const double alpha = v.smooth[i], difference = v.smooth[stride + i];
    const double inverse_mass = reciprocal(v.graph.lumped_mass[i]);
    for (int k = 0; k < n; ++k) {
      own[k] = v.u[k * stride + i];
      rates[k] = v.middle[(middle_low<Equation> + k) * stride + i];
      low[k] = own[k] + dt * inverse_mass * rates[k];
    }
    v.graph.each(i, [&](Offset entry, Index j) {
      const double by = v.viscosity[entry] * (0.5 * (alpha + v.smooth[j]) - 1);
      for (int k = 0; k < n; ++k) rates[k] += by * (v.u[k * stride + j] - own[k]);
      sum_of_differences += 0.5 * (difference + v.smooth[stride + j]);
    });
    for (int k = 0; k < n; ++k) {
      v.middle[k * stride + i] = inverse_mass * rates[k];
      v.middle[(middle_low<Equation> + k) * stride + i] = low[k];
    }
    double bounds[Equation::bounds];
    double* const kept = v.middle + middle_bounds<Equation> * stride + i;
    for (int k = 0; k < Equation::bounds; ++k) bounds[k] = kept[k * stride];
    const double second =
        relaxed ? 0.5 * std::fabs(sum_of_differences) / (v.graph.degree[i] > 0 ? v.graph.degree[i] : 1) : 0;
    v.equation.settle(bounds, relaxed, relaxed ? v.relaxation[i] : 0, second, low);
    for (int k = 0; k < Equation::bounds; ++k) kept[k * stride] = bounds[k];
  }
};

/// A pass of the limiter: from = u^L or what the pass before made of it. The last one makes the state of the stage.
template <class Equation, bool first, bool last>
struct LimitPass {
  static constexpr int n = Equation::n, held = Equation::bounds - Equation::guards;
  PassViews<Equation> v;
  double dt;
  bool consistent;
  double share;         ///< of the last
  const double* start;  ///< of the last
  double* to;           ///< of the last

  /// One end of an edge.
  struct End {
    double u[n], rate[n], from[n];
    double bounds[Equation::bounds];
    double alpha, weight;
  };
  TESSERA_HD_INLINE void load(Index i, End& end) const {
    const double* const bounds = v.middle + middle_bounds<Equation> * v.stride;
    for (int k = 0; k < n; ++k) {
      end.u[k] = v.u[k * v.stride + i];
      end.rate[k] = v.middle[k * v.stride + i];
      end.from[k] = first ? v.middle[(middle_low<Equation> + k) * v.stride + i] : v.low[k * v.stride + i];
    }
    for (int k = 0; k < Equation::bounds; ++k)
      end.bounds[k] = first || k < held ? bounds[k * v.stride + i] : v.low[(n + k - held) * v.stride + i];
    end.alpha = v.smooth[i];
    end.weight = v.weight[i];
  }

  /// What the edge brings to i, over dt; of j it is the negative, bit by bit.
  TESSERA_HD_INLINE void flux(const End& i, const End& j, Offset entry, double (&f)[n]) const {
    const double by = v.viscosity[entry] * (0.5 * (i.alpha + j.alpha) - 1);
    const double mass = consistent ? v.graph.coefficients.mass[entry] : 0;
    for (int k = 0; k < n; ++k) f[k] = dt * (by * (j.u[k] - i.u[k]) + mass * (i.rate[k] - j.rate[k]));
  }

  TESSERA_HD void operator()(Offset row) const {
    const Index i = static_cast<Index>(row);
    End own;
    load(i, own);
    double sum[n] = {};
    v.graph.each(i, [&](Offset entry, Index j) {
      End other;
      load(j, other);
      double f[n];
      flux(own, other, entry, f);
      if constexpr (!first)
        for (int k = 0; k < n; ++k) f[k] *= 1 - v.part[entry];
      // Each end by itself, so that it does not matter which comes first; the lower node does, so that both rows
      // compute the same.
      const bool own_first = i < j;
      const double l = std::fmin(limited(own_first ? own : other, f, own_first ? 1 : -1),
                                 limited(own_first ? other : own, f, own_first ? -1 : 1));
      if constexpr (!last) v.part[entry] = l;
      for (int k = 0; k < n; ++k) sum[k] += l * f[k];
    });
    const double inverse_mass = reciprocal(v.graph.lumped_mass[i]);
    double moved[n];
    for (int k = 0; k < n; ++k) moved[k] = own.from[k] + inverse_mass * sum[k];
    if constexpr (last) {
      for (int k = 0; k < n; ++k) {
        const double before = share > 0 ? share * start[k * v.stride + i] : 0;
        to[k * v.stride + i] = before + (1 - share) * moved[k];
      }
    } else {
      for (int k = 0; k < n; ++k) v.low[k * v.stride + i] = moved[k];
      if constexpr (Equation::guards > 0) v.low[n * v.stride + i] = v.equation.guard(own.bounds, moved);
    }
  }

  TESSERA_HD_INLINE double limited(const End& end, const double (&f)[n], double sign) const {
    if (end.weight == 0) return 1;  // it is prescribed
    double by[n];
    for (int k = 0; k < n; ++k) by[k] = sign * end.weight * f[k];
    return v.equation.part(end.bounds, end.from, by);
  }
};

/// The low order alone.
template <class Equation>
struct LowPass {
  PassViews<Equation> v;
  double dt, share;
  const double* start;
  double* to;

  TESSERA_HD void operator()(Offset i) const {
    const double by = dt * reciprocal(v.graph.lumped_mass[i]);
    for (int k = 0; k < Equation::n; ++k) {
      const Offset at = k * v.stride + i;
      const double before = share > 0 ? share * start[at] : 0;
      to[at] = before + (1 - share) * (v.u[at] + by * v.middle[(middle_low<Equation> + k) * v.stride + i]);
    }
  }
};

}  // namespace tessera::physics::conservation
