#pragma once
// The passes of convex limiting. Most edges of most flows are not limited: so the first pass takes all of each edge,
// and asks the bounds of its own node alone which edges they refuse, wholly or in part. Then rows take back what either
// end refuses, and a last pass offers it once more; both go to refused edges alone. What is made is what passes over
// all edges of both ends would make, to rounding.
#include "base/lowest_bit.hpp"
#include "physics/conservation/rows.hpp"

namespace tessera::physics::conservation {

/// Edges of a row as bits; the last bit stands for all from there on.
inline constexpr int last_edge_bit = 63;
TESSERA_HD_INLINE inline std::uint64_t edge_bit(int e) {
  return std::uint64_t{1} << (e < last_edge_bit ? e : last_edge_bit);
}

/// Of each entry the bit by which the neighbour names the edge; of ghosts, whose rows are in another order where they
/// are owned, any.
inline constexpr std::uint8_t any_edge_bit = 255;
struct NamesPass {
  GraphView graph;
  Offset owned;
  std::uint8_t* names;

  TESSERA_HD void operator()(Offset row) const {
    const Index i = static_cast<Index>(row);
    graph.each(i, [&](Offset entry, Index j) {
      const RowEntries edges = graph.at(j);
      int e = 0;
      while (e < edges.count && e < last_edge_bit && graph.neighbour[edges.first + e * edges.step] != i) ++e;
      names[entry] = j < owned ? static_cast<std::uint8_t>(e) : any_edge_bit;
    });
  }
};

/// What edges bring over dt, and what their ends are. `first`: from u^L, else from what the pass before made of it.
template <class Equation, bool first, bool staged>
struct Antidiffusion {
  using Real = typename Equation::Real;
  static constexpr int n = Equation::n, held = Equation::bounds - Equation::guards;
  PassViews<Equation> v;
  PassColumns<Equation> columns;
  StepLength dt;
  bool consistent;

  /// A node as an edge needs it.
  struct Side {
    Real u[n], rate[n];
    Real alpha;
  };
  /// A node as its bounds need it.
  struct End {
    Real from[n], bounds[Equation::bounds];
    Real weight;
  };
  TESSERA_HD_INLINE void load(Index i, Side& side) const {
    for (int k = 0; k < n; ++k) {
      side.u[k] = columns.u(k, i);
      side.rate[k] = columns.rate(k, i);
    }
    side.alpha = columns.smooth(0, i);
  }
  TESSERA_HD_INLINE void load(Index i, const Side& side, End& end) const {
    for (int k = 0; k < n; ++k)
      end.from[k] = !first                  ? v.low[k * v.stride + i]
                    : reads_state<Equation> ? columns.low(k, i)
                                            : side.u[k] + columns.low(k, i);
    for (int k = 0; k < Equation::bounds; ++k)
      end.bounds[k] = first || k < held ? columns.bounds(k, i) : v.low[(n + k - held) * v.stride + i];
    end.weight = v.weight[i];
  }
  TESSERA_HD_INLINE Real length() const { return static_cast<Real>(dt()); }

  /// What the matrices have of an edge.
  struct Edge {
    Real viscosity, mass;
  };
  TESSERA_HD_INLINE Edge edge(Offset entry) const {
    return {load_once(v.viscosity + entry), consistent ? load_once(v.graph.mass + entry) : 0};
  }
  /// f, what of the edge goes to i over dt, of j the negative, to rounding; `rest` is dt, or the part of it that is
  /// left.
  TESSERA_HD_INLINE void of_edge(Index i, const Side& own, const RowEdge& to, const Side& other, const Edge& edge,
                                 Real rest, Real (&f)[n]) const {
    const Real by = rest * edge.viscosity * (Real(0.5) * (own.alpha + other.alpha) - 1), mass = rest * edge.mass;
    [[maybe_unused]] Real past[n];
    if constexpr (staged)
      PastFluxes<Equation>{v.stride, v.past}.of_edge(
          i, to.neighbour, v.graph.template edge<Equation::dim>(to.entry, i, to.neighbour), past);
    for (int k = 0; k < n; ++k) {
      f[k] = by * (other.u[k] - own.u[k]) + mass * (own.rate[k] - other.rate[k]);
      if constexpr (staged) f[k] += rest * past[k];
    }
  }

  /// What of_edge() reads of an edge.
  struct Source {
    using Real = typename Equation::Real;
    static constexpr int of_smooth = 2 * n, often = of_smooth + 1, of_viscosity = often, of_mass = often + 1,
                         count = of_mass + 1;
    const Antidiffusion& of;
    TESSERA_HD_INLINE const Real* place(int k, const RowEdge& edge) const {
      const Index j = edge.neighbour;
      if (k < n) return of.columns.u.of[k] + j;
      if (k < of_smooth) return of.columns.rate.of[k - n] + j;
      if (k == of_smooth) return of.columns.smooth.of[0] + j;
      return (k == of_mass && of.consistent ? of.v.graph.mass : of.v.viscosity) + edge.entry;
    }
  };
};

/// sum += what edges bring to a row of the first pass, of each the part that `takes(e, j, other, f)` says.
template <bool ahead, class Edges, class Takes>
TESSERA_HD_INLINE inline void add_edges(const Edges& by_edges, Index i, const RowEntries& entries,
                                        const typename Edges::Side& own, typename Edges::Real (&sum)[Edges::n],
                                        Takes& takes) {
  using Source = typename Edges::Source;
  const typename Edges::Real length = by_edges.length();
  const Source source{by_edges};
  EdgesAhead<Source, ahead> edges(by_edges.v.graph, entries, source);
  while (edges.next()) {
    typename Edges::Side other;
    for (int k = 0; k < Edges::n; ++k) {
      other.u[k] = edges[k];
      other.rate[k] = edges[Edges::n + k];
    }
    other.alpha = edges[Source::of_smooth];
    typename Edges::Real f[Edges::n];
    by_edges.of_edge(i, own, edges.here(), other,
                     {edges[Source::of_viscosity], by_edges.consistent ? edges[Source::of_mass] : 0}, length, f);
    const auto l = takes(edges.number(), edges.here().neighbour, other, f);
    for (int k = 0; k < Edges::n; ++k) sum[k] += l * f[k];
  }
}

/// All of an edge, which notes those that bounds refuse.
template <class Edges, bool powers>
struct TakesAll {
  using Real = typename Edges::Real;
  const Edges& by_edges;
  const typename Edges::End& end;
  std::uint64_t refused = 0;
  TESSERA_HD_INLINE Real operator()(int e, Index, const typename Edges::Side&, const Real (&f)[Edges::n]) {
    if (!by_edges.v.equation.template takes_all<powers>(end.bounds, end.from, f, end.weight)) refused |= edge_bit(e);
    return 1;
  }
};

/// The state of the stage with all of each edge, and which edges the bounds of the node refuse.
template <class Equation, bool staged = false, bool powers = false>
struct WholePass {
  using Real = typename Equation::Real;
  static constexpr int n = Equation::n;
  using Edges = Antidiffusion<Equation, true, staged>;
  Edges by_edges;
  double share;
  const double* start;
  double* to;

  TESSERA_HD void operator()(Offset row) const {
    const PassViews<Equation>& v = by_edges.v;
    const Index i = static_cast<Index>(row);
    typename Edges::Side own;
    typename Edges::End end;
    by_edges.load(i, own);
    by_edges.load(i, own, end);
    Real sum[n] = {};
    TakesAll<Edges, powers> all{by_edges, end};
    add_edges<Equation::reads_ahead>(by_edges, i, v.graph.at(i), own, sum, all);
    v.refused[i] = all.refused;
    const double by = reciprocal(v.graph.lumped_mass[i]);
    for (int k = 0; k < n; ++k) {
      const Offset at = k * v.stride + i;
      const double made = (reads_state<Equation> ? end.from[k] : v.low_order(k, i)) + v.units.in_state(k, by * sum[k]);
      to[at] = (share > 0 ? share * start[at] : 0) + (1 - share) * made;
    }
  }
};

/// What is refused of edges is taken back (`first`), and what of that is allowed after all, added. Where another pass
/// follows, the state before the share of the stage is kept in `low`. `staged`: the high order takes fluxes of stages
/// before; `powers`: those of the equation's parts.
template <class Equation, bool first, bool last, bool staged = false, bool powers = false>
struct LimitPass {
  using Real = typename Equation::Real;
  static constexpr int n = Equation::n;
  using Edges = Antidiffusion<Equation, first, staged>;
  Edges by_edges;
  double share;
  const double* start;
  double* to;

  /// A node, and the edges that it and its neighbours refuse, wholly or in part.
  struct Row {
    Index i;
    RowEntries edges;
    std::uint64_t ours, theirs;
  };
  struct TakesParts {
    const LimitPass& pass;
    const Row& row;
    const typename Edges::Side& own;
    TESSERA_HD_INLINE Real operator()(int e, Index j, const typename Edges::Side& other, const Real (&f)[n]) {
      const int bit = e < last_edge_bit ? e : last_edge_bit;
      return ((row.ours | row.theirs) >> bit & 1) != 0 ? pass.least(row, own, bit, j, other, f) : 1;
    }
  };
  /// Where more than this many times what is left of a density or an energy was taken back, the row is made anew: a
  /// cold node beside hot ones would be the difference of two large numbers. In float sums know fewer digits.
  static constexpr double most_taken = std::is_same_v<Real, double> ? 1000 : 10;

  /// Edges of which a neighbour refuses something.
  TESSERA_HD_INLINE std::uint64_t refused_by_neighbours(const RowEntries& edges) const {
    const PassViews<Equation>& v = by_edges.v;
    std::uint64_t result = 0;
    Offset entry = edges.first;
    for (int e = 0; e < edges.count; ++e, entry += edges.step) {
      const std::uint64_t theirs = v.refused[v.graph.neighbour[entry]];
      const int name = v.names[entry];
      if (name == any_edge_bit ? theirs != 0 : (theirs >> name & 1) != 0) result |= edge_bit(e);
    }
    return result;
  }
  TESSERA_HD_INLINE Real part(Index node, const typename Edges::Side& side, const Real (&f)[n], Real sign) const {
    typename Edges::End end;
    by_edges.load(node, side, end);
    return by_edges.v.equation.template part<powers>(end.bounds, end.from, f, sign * end.weight);
  }
  /// l is the least of what both ends allow; the row of the other finds the same, to rounding.
  TESSERA_HD_INLINE Real least(const Row& row, const typename Edges::Side& own, int bit, Index j,
                               const typename Edges::Side& other, const Real (&f)[n]) const {
    Real l = 1;
    if (row.ours >> bit & 1) l = part(row.i, own, f, 1);
    if (row.theirs >> bit & 1) l = smaller(l, part(j, other, f, -1));
    return l;
  }

  TESSERA_HD void operator()(Offset node) const {
    const PassViews<Equation>& v = by_edges.v;
    Row row;
    row.i = static_cast<Index>(node);
    row.edges = v.graph.at(row.i);
    row.ours = first ? v.refused[row.i] : v.open[row.i];
    row.theirs = first ? refused_by_neighbours(row.edges) : row.ours;
    std::uint64_t open = 0;
    if ((row.ours | row.theirs) != 0) {
      typename Edges::Side own;
      by_edges.load(row.i, own);
      Real sum[n] = {};
      [[maybe_unused]] Real density = 0, energy = 0;  // what is taken back, without signs
      for (std::uint64_t rest = row.ours | row.theirs; rest != 0; rest &= rest - 1) {
        const int bit = lowest_bit(rest), end = bit < last_edge_bit ? bit + 1 : row.edges.count;
        for (int e = bit; e < end; ++e) {
          const Offset entry = row.edges.first + e * row.edges.step;
          if (!first && v.part[entry] >= 1) continue;  // one of many behind the last bit, of which all is taken
          const Index j = v.graph.neighbour[entry];
          typename Edges::Side other;
          by_edges.load(j, other);
          Real f[n];
          by_edges.of_edge(row.i, own, {j, entry}, other, by_edges.edge(entry),
                           first ? by_edges.length() : by_edges.length() * (1 - v.part[entry]), f);
          const Real l = least(row, own, bit, j, other, f);
          if constexpr (!last) v.part[entry] = l;
          if (l < 1) open |= edge_bit(e);
          for (int k = 0; k < n; ++k) sum[k] += (first ? l - 1 : l) * f[k];
          if constexpr (first) {
            density += (1 - l) * std::fabs(f[0]);
            energy += (1 - l) * std::fabs(f[n - 1]);
          }
        }
      }
      change(row.i, sum);
      if constexpr (first) {
        if (loses_digits(row.i, 0, density) || loses_digits(row.i, n - 1, energy)) add_up(row, own);
      }
    }
    if constexpr (!last) v.open[row.i] = open;
  }

  /// Whether what was taken back is so much more than what is left that little of that is known.
  TESSERA_HD_INLINE bool loses_digits(Index i, int k, Real taken) const {
    const Offset at = k * by_edges.v.stride + i;
    const double by = (1 - share) * reciprocal(by_edges.v.graph.lumped_mass[i]);
    return !(by_edges.v.units.in_state(k, by * taken) <=
             most_taken * std::fabs(to[at] - (share > 0 ? share * start[at] : 0)));
  }
  /// The state of the stage from that of low order and the parts of all edges.
  TESSERA_HD void add_up(const Row& row, const typename Edges::Side& own) const {
    const PassViews<Equation>& v = by_edges.v;
    Real sum[n] = {};
    TakesParts parts{*this, row, own};
    add_edges<false>(by_edges, row.i, row.edges, own, sum, parts);
    const double by = reciprocal(v.graph.lumped_mass[row.i]);
    Real low[n] = {};
    for (int k = 0; k < n; ++k) {
      const Offset at = k * v.stride + row.i;
      const double made = v.low_order(k, row.i) + v.units.in_state(k, by * sum[k]);
      to[at] = (share > 0 ? share * start[at] : 0) + (1 - share) * made;
      if constexpr (!last) v.low[at] = low[k] = static_cast<Real>(v.units.in_rows(k, made));
    }
    guard(row.i, low);
  }

  /// The sum goes to the state of the stage.
  TESSERA_HD_INLINE void change(Index i, const Real (&sum)[n]) const {
    const PassViews<Equation>& v = by_edges.v;
    const double by = (1 - share) * reciprocal(v.graph.lumped_mass[i]);
    [[maybe_unused]] const double inverse_share = reciprocal(1 - share);
    Real low[n] = {};
    for (int k = 0; k < n; ++k) {
      const Offset at = k * v.stride + i;
      const double moved = to[at] + v.units.in_state(k, by * sum[k]);
      to[at] = moved;
      if constexpr (!last)
        v.low[at] = low[k] =
            static_cast<Real>(v.units.in_rows(k, share > 0 ? inverse_share * (moved - share * start[at]) : moved));
    }
    guard(i, low);
  }
  /// What the next pass asks of a state that this one made.
  TESSERA_HD_INLINE void guard([[maybe_unused]] Index i, [[maybe_unused]] const Real (&low)[n]) const {
    if constexpr (!last && Equation::guards > 0) {
      Real bounds[Equation::bounds];
      for (int k = 0; k < Equation::bounds; ++k) bounds[k] = by_edges.columns.bounds(k, i);
      by_edges.v.low[n * by_edges.v.stride + i] = by_edges.v.equation.guard(bounds, low);
    }
  }
};

}  // namespace tessera::physics::conservation
