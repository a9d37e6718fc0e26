#pragma once
// The passes of the scheme, each at one node or row; scheme.hpp has the formulas. An Equation says what law it is:
//   dim, n             dimensions, numbers of a state
//   Real               of what the passes keep beside the state, which is double
//   State, load, take  a node as a row sees it: u, and flux(c, f), which makes F(u) c
//   reads_ahead        whether rows of CUDA read an edge ahead: see edges_ahead.hpp
//   node_count, at_node  what follows from the state of a node alone, kept beside it
//   Flux               sum of F(u_j) c - F(u_i) c over neighbours, 0 of equal states;
//                      add() returns that of the first number
//   Along              what an edge along c has in common for these
//   viscosity          of an edge along c, from i to j, the same as from j to i along -c;
//                      d_ij is the larger one of c_ij and c_ji
//   Row, row, add      what a row gathers of its neighbours, of which
//   bounds_of, settle  make the bounds: the last `guards` of them follow from others by guard()
//   unbounded          bounds that every state keeps
//   largest            about the largest number that there is
//   indicator          alpha of a node
//   part, takes_all    how much of a direction keeps the bounds, and whether all of it does
//   powers, has_powers whether there is another way of finding it, with more registers, and
//                      whether it is needed
//   is_admissible      whether a state is one
// One that says low_order_alone has no limits, and in the place of viscosity
//   diffuse            what the viscosity of an edge brings to a node, and its largest eigenvalue
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/extremes.hpp"
#include "base/reciprocal.hpp"
#include "physics/conservation/columns.hpp"
#include "physics/conservation/edges_ahead.hpp"
#include "physics/conservation/past_fluxes.hpp"
#include "physics/conservation/step_length.hpp"
#include "physics/conservation/units.hpp"

namespace tessera::physics::conservation {

/// Whether an equation has a high order, with limits.
template <class Equation>
inline constexpr bool can_limit = !requires {
  Equation::low_order_alone;
};

/// What follows from the state of a node alone; and, where the passes keep floats, the state as they read it.
template <class Equation>
struct NodePass {
  using Real = typename Equation::Real;
  Equation equation;
  Offset stride;
  const double* u;
  Real* node;
  Real* copy;  ///< [n, stride]; null: they read u
  Units<Real, Equation::n> units;

  TESSERA_HD void operator()(Offset i) const {
    double own[Equation::n];
    for (int k = 0; k < Equation::n; ++k) own[k] = units.in_rows(k, u[k * stride + i]);
    if (copy)
      for (int k = 0; k < Equation::n; ++k) copy[k * stride + i] = static_cast<Real>(own[k]);
    equation.at_node(own, i, stride, node);
  }
};

/// Whether rows read the state itself; else, as floats, a copy of it.
template <class Equation>
inline constexpr bool reads_state = std::is_same_v<typename Equation::Real, double>;

/// Vectors between the passes: S = R / m, the state of low order, or of floats how it differs from that before (first
/// its rates), and the bounds (first as a row has gathered them).
template <class Equation>
inline constexpr int middle_low = Equation::n;
template <class Equation>
inline constexpr int middle_bounds = 2 * Equation::n;
template <class Equation>
inline constexpr int middle_numbers = 2 * Equation::n + Equation::bounds;

template <class Equation>
struct PassViews {
  using Real = typename Equation::Real;
  GraphViewOf<Real> graph;
  Equation equation;
  Offset stride = 0;                 ///< nodes seen
  const double* state = nullptr;     ///< [n, stride] u, which steps are added to
  const Real* u = nullptr;           ///< [n, stride] the same as rows read it
  const Real* node = nullptr;        ///< [node_count, stride]
  Real* viscosity = nullptr;         ///< [entries] d_ij
  Real* part = nullptr;              ///< [entries] l_ij
  Real* middle = nullptr;            ///< [middle_numbers, stride]
  Real* smooth = nullptr;            ///< [2, stride] alpha, and the second difference of the first number
  double* longest = nullptr;         ///< [owned] m_i / (2 sum_j d_ij), -1 where the state is none
  Real* low = nullptr;               ///< [n + guards, stride] the state after the first pass of the limiter, and guards
  const Real* weight = nullptr;      ///< [stride] n_i / m_i; 0: the state is prescribed
  const Real* relaxation = nullptr;  ///< [owned]
  const Real* past = nullptr;        ///< [n, dim, stride] of stages that look at those before; see PastFluxes
  Real blend = 1;                    ///< weight of what is new in alpha and l_ij; see Scheme::set_blend
  std::uint64_t* refused = nullptr;  ///< [stride] edges that the bounds of the node refuse; see limit_rows.hpp
  std::uint64_t* open = nullptr;     ///< [owned] edges that are left to the second pass of the limiter
  const std::uint8_t* names = nullptr;  ///< [entries] see NamesPass
  Units<Real, Equation::n> units = {};  ///< of all but `state` and `longest`

  TESSERA_HD_INLINE void load(typename Equation::State& state, Index i) const {
    equation.load(state, u, node, stride, i);
  }
  /// Number k of the state of low order, in double.
  TESSERA_HD_INLINE double low_order(int k, Index i) const {
    const double kept = middle[(middle_low<Equation> + k) * stride + i];
    return reads_state<Equation> ? kept : state[k * stride + i] + units.in_state(k, kept);
  }
};

/// The same numbers by columns, of rows that look at many nodes.
template <class Equation>
struct PassColumns {
  using Real = typename Equation::Real;
  Columns<Equation::n, Real> u, rate, low;
  Columns<Equation::node_count, Real> node;
  Columns<Equation::bounds, Real> bounds;
  Columns<2, Real> smooth;

  explicit PassColumns(const PassViews<Equation>& v)
      : u(v.u, v.stride),
        rate(v.middle, v.stride),
        low(v.middle + middle_low<Equation> * v.stride, v.stride),
        node(v.node, v.stride),
        bounds(v.middle + middle_bounds<Equation> * v.stride, v.stride),
        smooth(v.smooth, v.stride) {}
};

/// Viscosities, rates of low order, and with `limited` bounds and the indicator. Reads c.
template <class Equation, bool limited>
struct RatesPass {
  using Real = typename Equation::Real;
  static constexpr int dim = Equation::dim, n = Equation::n, of_node = n + Equation::node_count;
  /// In space the viscosities that diffuse() has leave no registers for it.
  static constexpr bool ahead = Equation::reads_ahead && (can_limit<Equation> || dim < 3);
  PassViews<Equation> v;
  PassColumns<Equation> columns;
  Real factor;          ///< of the indicator
  Real inverse_length;  ///< 1 over the length of the domain

  /// What it reads of an edge: the numbers of the neighbour, and c as it is stored.
  struct Source {
    using Real = typename Equation::Real;
    static constexpr int often = of_node, count = often + dim;
    const RatesPass& pass;
    TESSERA_HD_INLINE const Real* place(int k, const RowEdge& edge) const {
      return k < of_node ? pass.place(k, edge.neighbour)
                         : pass.v.graph.c + (k - of_node) * pass.v.graph.stride + edge.entry;
    }
  };
  /// Number k of a node, of those of its state and behind them those that follow from it.
  TESSERA_HD_INLINE const Real* place(int k, Index i) const {
    return (k < n ? columns.u.of[k] : columns.node.of[k - n]) + i;
  }

  TESSERA_HD void operator()(Offset node) const {
    const Index i = static_cast<Index>(node);
    typename Equation::State own;
    v.equation.take(
        own, [&](int k) { return *place(k, i); }, v.stride, i);
    Real diffusion[n] = {}, sum = 0, difference = 0;
    typename Equation::Flux flux;
    typename Equation::Row row = v.equation.row(own);
    const RowEntries entries = v.graph.at(i);
    const Source source{*this};
    EdgesAhead<Source, ahead> edges(v.graph, entries, source);
    while (edges.next()) {
      const Index j = edges.here().neighbour;
      const Offset entry = edges.here().entry;
      typename Equation::State other;
      v.equation.take(
          other, [&](int k) { return edges[k]; }, v.stride, j);
      Real c[dim];
      for (int k = 0; k < dim; ++k) c[k] = edges[of_node + k];
      bool is_inside = v.graph.template turn_c<dim>(entry, i, j, c);
      const typename Equation::Along along(own, other, c);
      Real d = 0;
      if constexpr (can_limit<Equation>) {
        // On the boundary c_ji has a viscosity of its own; turned, so that one piece of code finds both.
        for (typename Equation::Along seen = along;;) {
          d = larger(d, v.equation.viscosity(own, other, seen));
          if (is_inside) break;
          is_inside = true;
          const EdgeCoefficients<dim, Real> edge = v.graph.template edge<dim>(entry, i, j);
          Real turned[dim];
          for (int k = 0; k < dim; ++k) turned[k] = -edge.c_ji[k];
          seen = typename Equation::Along(own, other, turned);
        }
        v.viscosity[entry] = d;
        for (int k = 0; k < n; ++k) diffusion[k] += d * (other.u[k] - own.u[k]);
      } else {
        Real brought[n];
        d = v.equation.diffuse(own, other, v.graph.template edge<dim>(entry, i, j), brought);
        for (int k = 0; k < n; ++k) diffusion[k] += brought[k];
      }
      sum += d;
      const Real jump = flux.add(own, other, c, along);
      if constexpr (limited) {
        v.equation.add(row, own, other, along, d, jump);
        difference -= other.u[0] - own.u[0];
      }
    }
    Real transport[n];
    flux.give(own, transport);
    for (int k = 0; k < n; ++k) v.middle[(middle_low<Equation> + k) * v.stride + i] = diffusion[k] - transport[k];
    const double mass = v.graph.lumped_mass[i];
    v.longest[i] =
        v.equation.is_admissible(own) && sum < Equation::largest ? v.units.step_of_rows(0.5 * mass / sum) : -1;
    if constexpr (limited) {
      Real bounds[Equation::bounds];
      v.equation.bounds_of(row, own, bounds);
      for (int k = 0; k < Equation::bounds; ++k) v.middle[(middle_bounds<Equation> + k) * v.stride + i] = bounds[k];
      const Real alpha =
          v.weight[i] > 0 ? v.equation.indicator(row, own, transport, static_cast<Real>(mass), factor, inverse_length)
                          : 0;
      v.smooth[i] = v.blend < 1 ? v.smooth[i] + v.blend * (alpha - v.smooth[i]) : alpha;
      v.smooth[v.stride + i] = entries.count > 0 ? difference / entries.count : 0;
    }
  }
};

/// R / m of the high order, the state of low order after dt, and the bounds as they are held. Reads d, and `staged` c.
template <class Equation, bool staged = false>
struct MiddlePass {
  using Real = typename Equation::Real;
  PassViews<Equation> v;
  PassColumns<Equation> columns;
  StepLength dt;
  bool relaxed;

  TESSERA_HD void operator()(Offset row) const {
    constexpr int n = Equation::n;
    const Index i = static_cast<Index>(row);
    const Offset stride = v.stride;
    Real own[n], change[n], rates[n], sum_of_differences = 0;  // `change` is a rate at first
    const Real half = Real(0.5) * columns.smooth(0, i) - 1, difference = columns.smooth(1, i);
    for (int k = 0; k < n; ++k) {
      own[k] = columns.u(k, i);
      change[k] = rates[k] = columns.low(k, i);
    }
    const RowEntries edges = v.graph.at(i);
    Offset entry = edges.first;
#pragma unroll 2
    for (int e = 0; e < edges.count; ++e, entry += edges.step) {
      const Index j = load_once(v.graph.neighbour + entry);
      const Real by = load_once(v.viscosity + entry) * (Real(0.5) * columns.smooth(0, j) + half);
      for (int k = 0; k < n; ++k) rates[k] += by * (columns.u(k, j) - own[k]);
      sum_of_differences += columns.smooth(1, j);
    }
    sum_of_differences = Real(0.5) * (edges.count * difference + sum_of_differences);
    [[maybe_unused]] Real through[n];  // the boundary
    [[maybe_unused]] bool on_boundary = false;
    if constexpr (staged) {
      Real all[n];
      on_boundary = PastFluxes<Equation>{stride, v.past}.of_row(v.graph, i, all, through);
      for (int k = 0; k < n; ++k) rates[k] += all[k];
    }
    const Real inverse_mass = static_cast<Real>(reciprocal(v.graph.lumped_mass[i])),
               by_rates = static_cast<Real>(dt()) * inverse_mass;
    Real low[n];
    for (int k = 0; k < n; ++k) {
      change[k] *= by_rates;
      low[k] = own[k] + change[k];
      v.middle[k * stride + i] = inverse_mass * rates[k];
      v.middle[(middle_low<Equation> + k) * stride + i] = reads_state<Equation> ? low[k] : change[k];
    }
    Real bounds[Equation::bounds];
    Real* const kept = v.middle + middle_bounds<Equation> * stride + i;
    for (int k = 0; k < Equation::bounds; ++k) bounds[k] = kept[k * stride];
    const Real second = relaxed ? Real(0.5) * std::fabs(sum_of_differences) / (edges.count > 0 ? edges.count : 1) : 0;
    v.equation.settle(bounds, relaxed, relaxed ? v.relaxation[i] : 0, second, low);
    if (v.weight[i] == 0) v.equation.unbounded(bounds);
    if constexpr (staged) {
      if (on_boundary) {
        for (int k = 0; k < n; ++k) through[k] *= by_rates;
        const Real part = v.equation.part(bounds, low, through);
        for (int k = 0; k < n; ++k) {
          low[k] += part * through[k];
          v.middle[(middle_low<Equation> + k) * stride + i] += part * through[k];
        }
        if constexpr (Equation::guards > 0) bounds[Equation::bounds - 1] = v.equation.guard(bounds, low);
      }
    }
    for (int k = 0; k < Equation::bounds; ++k) kept[k * stride] = bounds[k];
  }
};

/// The low order alone.
template <class Equation>
struct LowPass {
  PassViews<Equation> v;
  StepLength dt;
  double share;
  const double* start;
  double* to;

  TESSERA_HD void operator()(Offset i) const {
    const double by = dt() * reciprocal(v.graph.lumped_mass[i]);
    for (int k = 0; k < Equation::n; ++k) {
      const Offset at = k * v.stride + i;
      const double before = share > 0 ? share * start[at] : 0;
      to[at] = before + (1 - share) * (v.state[at] +
                                       v.units.in_state(k, by * v.middle[(middle_low<Equation> + k) * v.stride + i]));
    }
  }
};

}  // namespace tessera::physics::conservation
