#pragma once
// The passes of the scheme, each at one node or row; scheme.hpp has the formulas. An Equation says what law it is:
//   dim, n             dimensions, numbers of a state
//   State, load        a node as a row sees it: u, and flux(c, f), which makes F(u) c
//   node_count, at_node  what follows from the state of a node alone, kept beside it
//   viscosity          d_ij of an edge
//   Row, row, add      what a row gathers of its neighbours, of which
//   bounds_of, settle  make the bounds: the last `guards` of them follow from the others and a state by guard()
//   unbounded          bounds that every state keeps
//   indicator          alpha of a node
//   part               how much of a direction keeps the bounds
//   powers, has_powers whether there is another way of finding it, which takes more registers, and whether it is needed
//   is_admissible      whether a state is one
// One that says low_order_alone has no limits, and in the place of viscosity
//   diffuse            what the viscosity of an edge brings to a node, and its largest eigenvalue
#include <type_traits>
#include <utility>

#include "base/extremes.hpp"
#include "base/reciprocal.hpp"
#include "physics/conservation/past_fluxes.hpp"

namespace tessera::physics::conservation {

/// Whether an equation has a high order, with limits.
template <class Equation>
inline constexpr bool can_limit = !requires {
  Equation::low_order_alone;
};

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
  const double* past = nullptr;        ///< [n, dim, stride] of stages that look at those before; see PastFluxes
  double blend = 1;                    ///< weight of what is new in alpha and l_ij; see Scheme::set_blend

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
    const GraphView::Entries edges = v.graph.at(i);
    Index next = v.graph.ahead(edges, 0);
    for (int e = 0; e < edges.count; ++e) {
      const Offset entry = edges.first + e * edges.step;
      const Index j = std::exchange(next, v.graph.ahead(edges, e + 1));
      typename Equation::State other;
      v.load(other, j);
      const assembly::EdgeAt<dim> edge = v.graph.template edge<dim>(entry, i, j);
      double d, brought[n];
      if constexpr (can_limit<Equation>) {
        d = v.equation.viscosity(own, other, edge);
        v.viscosity[entry] = d;
        for (int k = 0; k < n; ++k) brought[k] = d * (other.u[k] - own.u[k]);
      } else {
        d = v.equation.diffuse(own, other, edge, brought);
      }
      sum += d;
      double f_i[n], f_j[n];
      own.flux(edge.c_ij, f_i);
      other.flux(edge.c_ij, f_j);
      for (int k = 0; k < n; ++k) {
        transport[k] += f_j[k] - f_i[k];
        diffusion[k] += brought[k];
      }
      if constexpr (limited) {
        v.equation.add(row, own, other, edge, d, f_i, f_j);
        difference += own.u[0] - other.u[0];
      }
    }
    for (int k = 0; k < n; ++k) v.middle[(middle_low<Equation> + k) * v.stride + i] = diffusion[k] - transport[k];
    v.longest[i] = v.equation.is_admissible(own.u) && sum < 1e300 ? 0.5 * v.graph.lumped_mass[i] / sum : -1;
    if constexpr (limited) {
      double bounds[Equation::bounds];
      v.equation.bounds_of(row, bounds);
      for (int k = 0; k < Equation::bounds; ++k) v.middle[(middle_bounds<Equation> + k) * v.stride + i] = bounds[k];
      const double alpha =
          v.weight[i] > 0 ? v.equation.indicator(row, own, transport, v.graph.lumped_mass[i], factor, inverse_length)
                          : 0;
      v.smooth[i] = v.blend < 1 ? v.smooth[i] + v.blend * (alpha - v.smooth[i]) : alpha;
      v.smooth[v.stride + i] = edges.count > 0 ? difference / edges.count : 0;
    }
  }
};

/// R / m of the high order, the state of low order after dt, and the bounds as they are held. Reads d, and `staged` c.
template <class Equation, bool staged = false>
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
    const GraphView::Entries edges = v.graph.at(i);
    Index next = v.graph.ahead(edges, 0);
    for (int e = 0; e < edges.count; ++e) {
      const Offset entry = edges.first + e * edges.step;
      const Index j = std::exchange(next, v.graph.ahead(edges, e + 1));
      const double by = v.viscosity[entry] * (0.5 * (alpha + v.smooth[j]) - 1);
      for (int k = 0; k < n; ++k) rates[k] += by * (v.u[k * stride + j] - own[k]);
      sum_of_differences += 0.5 * (difference + v.smooth[stride + j]);
    }
    [[maybe_unused]] double through[n];  // the boundary
    [[maybe_unused]] bool on_boundary = false;
    if constexpr (staged) {
      double all[n];
      on_boundary = PastFluxes<Equation>{stride, v.past}.of_row(v.graph, i, all, through);
      for (int k = 0; k < n; ++k) rates[k] += all[k];
    }
    for (int k = 0; k < n; ++k) {
      v.middle[k * stride + i] = inverse_mass * rates[k];
      v.middle[(middle_low<Equation> + k) * stride + i] = low[k];
    }
    double bounds[Equation::bounds];
    double* const kept = v.middle + middle_bounds<Equation> * stride + i;
    for (int k = 0; k < Equation::bounds; ++k) bounds[k] = kept[k * stride];
    const double second = relaxed ? 0.5 * std::fabs(sum_of_differences) / (edges.count > 0 ? edges.count : 1) : 0;
    v.equation.settle(bounds, relaxed, relaxed ? v.relaxation[i] : 0, second, low);
    if (v.weight[i] == 0) v.equation.unbounded(bounds);
    if constexpr (staged) {
      if (on_boundary) {
        for (int k = 0; k < n; ++k) through[k] *= dt * inverse_mass;
        const double part = v.equation.part(bounds, low, through);
        for (int k = 0; k < n; ++k) v.middle[(middle_low<Equation> + k) * stride + i] = low[k] += part * through[k];
        if constexpr (Equation::guards > 0) bounds[Equation::bounds - 1] = v.equation.guard(bounds, low);
      }
    }
    for (int k = 0; k < Equation::bounds; ++k) kept[k * stride] = bounds[k];
  }
};

/// A pass of the limiter: from = u^L or what the pass before made of it. The last one makes the state of the stage.
/// `staged`: the high order takes fluxes of stages before; `powers`: those of the equation's parts.
template <class Equation, bool first, bool last, bool staged = false, bool powers = false>
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

  /// An edge: its other end, and what it brings to i over dt, of j the negative, to rounding.
  struct Edge {
    End other;
    double f[n];
  };
  TESSERA_HD_INLINE void load_edge(Index i, const End& own, Offset entry, Index j, Edge& edge) const {
    load(j, edge.other);
    const End& other = edge.other;
    const double rest = first ? dt : dt * (1 - v.part[entry]);
    const double by = rest * v.viscosity[entry] * (0.5 * (own.alpha + other.alpha) - 1);
    const double mass = consistent ? rest * v.graph.coefficients.mass[entry] : 0;
    [[maybe_unused]] double past[n];
    if constexpr (staged)
      PastFluxes<Equation>{v.stride, v.past}.of_edge(i, j, v.graph.template edge<Equation::dim>(entry, i, j), past);
    for (int k = 0; k < n; ++k) {
      edge.f[k] = by * (other.u[k] - own.u[k]) + mass * (own.rate[k] - other.rate[k]);
      if constexpr (staged) edge.f[k] += rest * past[k];
    }
  }
  TESSERA_HD_INLINE double part(const End& end, const double (&f)[n], double weight) const {
    return v.equation.template part<powers>(end.bounds, end.from, f, weight);
  }

  TESSERA_HD void operator()(Offset row) const {
    const Index i = static_cast<Index>(row);
    End own;
    load(i, own);
    double sum[n] = {};
    const GraphView::Entries edges = v.graph.at(i);
    Index next = v.graph.ahead(edges, 0);
    for (int e = 0; e < edges.count; ++e) {
      const Offset entry = edges.first + e * edges.step;
      Edge edge;
      load_edge(i, own, entry, std::exchange(next, v.graph.ahead(edges, e + 1)), edge);
      // l is the least of what both ends allow; the row of the other finds the same, to rounding.
      const double l = smaller(part(own, edge.f, own.weight), part(edge.other, edge.f, -edge.other.weight));
      if constexpr (!last) v.part[entry] = l;
      for (int k = 0; k < n; ++k) sum[k] += l * edge.f[k];
    }
    const double inverse_mass = reciprocal(v.graph.lumped_mass[i]);
    double moved[n];
    for (int k = 0; k < n; ++k) {
      moved[k] = own.from[k] + inverse_mass * sum[k];
      const Offset at = k * v.stride + i;
      if constexpr (last)
        to[at] = (share > 0 ? share * start[at] : 0) + (1 - share) * moved[k];
      else
        v.low[at] = moved[k];
    }
    if constexpr (!last && Equation::guards > 0) {
      load(i, own);
      v.low[n * v.stride + i] = v.equation.guard(own.bounds, moved);
    }
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
