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
      const GraphView::Entries edges = graph.at(j);
      int e = 0;
      while (e < edges.count && e < last_edge_bit && graph.neighbour[edges.first + e * edges.step] != i) ++e;
      names[entry] = j < owned ? static_cast<std::uint8_t>(e) : any_edge_bit;
    });
  }
};

/// What edges bring over dt, and what their ends are. `first`: from u^L, else from what the pass before made of it.
template <class Equation, bool first, bool staged>
struct Antidiffusion {
  static constexpr int n = Equation::n, held = Equation::bounds - Equation::guards;
  PassViews<Equation> v;
  PassColumns<Equation> columns;
  double dt;
  bool consistent;

  /// A node as an edge needs it.
  struct Side {
    double u[n], rate[n];
    double alpha;
  };
  /// A node as its bounds need it.
  struct End {
    double from[n], bounds[Equation::bounds];
    double weight;
  };
  TESSERA_HD_INLINE void load(Index i, Side& side) const {
    for (int k = 0; k < n; ++k) {
      side.u[k] = columns.u(k, i);
      side.rate[k] = columns.rate(k, i);
    }
    side.alpha = columns.smooth(0, i);
  }
  TESSERA_HD_INLINE void load(Index i, End& end) const {
    for (int k = 0; k < n; ++k) end.from[k] = first ? columns.low(k, i) : v.low[k * v.stride + i];
    for (int k = 0; k < Equation::bounds; ++k)
      end.bounds[k] = first || k < held ? columns.bounds(k, i) : v.low[(n + k - held) * v.stride + i];
    end.weight = v.weight[i];
  }

  /// f, what of the edge goes to i over dt, of j the negative, to rounding; `rest` is dt, or the part of it that is
  /// left.
  TESSERA_HD_INLINE void of_edge(Index i, const Side& own, Offset entry, Index j, const Side& other, double rest,
                                 double (&f)[n]) const {
    const double by = rest * load_once(v.viscosity + entry) * (0.5 * (own.alpha + other.alpha) - 1);
    const double mass = consistent ? rest * load_once(v.graph.coefficients.mass + entry) : 0;
    [[maybe_unused]] double past[n];
    if constexpr (staged)
      PastFluxes<Equation>{v.stride, v.past}.of_edge(i, j, v.graph.template edge<Equation::dim>(entry, i, j), past);
    for (int k = 0; k < n; ++k) {
      f[k] = by * (other.u[k] - own.u[k]) + mass * (own.rate[k] - other.rate[k]);
      if constexpr (staged) f[k] += rest * past[k];
    }
  }
};

/// The state of the stage with all of each edge, and which edges the bounds of the node refuse.
template <class Equation, bool staged = false, bool powers = false>
struct WholePass {
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
    by_edges.load(i, end);
    double sum[n] = {};
    std::uint64_t refused = 0;
    const GraphView::Entries edges = v.graph.at(i);
#pragma unroll 2
    for (int e = 0; e < edges.count; ++e) {
      const Offset entry = edges.first + e * edges.step;
      const Index j = load_once(v.graph.neighbour + entry);
      typename Edges::Side other;
      by_edges.load(j, other);
      double f[n];
      by_edges.of_edge(i, own, entry, j, other, by_edges.dt, f);
      if (!v.equation.template takes_all<powers>(end.bounds, end.from, f, end.weight)) refused |= edge_bit(e);
      for (int k = 0; k < n; ++k) sum[k] += f[k];
    }
    v.refused[i] = refused;
    const double inverse_mass = reciprocal(v.graph.lumped_mass[i]);
    for (int k = 0; k < n; ++k) {
      const Offset at = k * v.stride + i;
      to[at] = (share > 0 ? share * start[at] : 0) + (1 - share) * (end.from[k] + inverse_mass * sum[k]);
    }
  }
};

/// What is refused of edges is taken back (`first`), and what of that is allowed after all, added. Where another pass
/// follows, the state before the share of the stage is kept in `low`. `staged`: the high order takes fluxes of stages
/// before; `powers`: those of the equation's parts.
template <class Equation, bool first, bool last, bool staged = false, bool powers = false>
struct LimitPass {
  static constexpr int n = Equation::n;
  using Edges = Antidiffusion<Equation, first, staged>;
  Edges by_edges;
  double share;
  const double* start;
  double* to;

  /// Edges of which a neighbour refuses something.
  TESSERA_HD_INLINE std::uint64_t refused_by_neighbours(const GraphView::Entries& edges) const {
    const PassViews<Equation>& v = by_edges.v;
    std::uint64_t result = 0;
    for (int e = 0; e < edges.count; ++e) {
      const Offset entry = edges.first + e * edges.step;
      const std::uint64_t theirs = v.refused[v.graph.neighbour[entry]];
      const int name = v.names[entry];
      if (name == any_edge_bit ? theirs != 0 : (theirs >> name & 1) != 0) result |= edge_bit(e);
    }
    return result;
  }
  TESSERA_HD_INLINE double part(Index node, const double (&f)[n], double sign) const {
    typename Edges::End end;
    by_edges.load(node, end);
    return by_edges.v.equation.template part<powers>(end.bounds, end.from, f, sign * end.weight);
  }

  TESSERA_HD void operator()(Offset row) const {
    const PassViews<Equation>& v = by_edges.v;
    const Index i = static_cast<Index>(row);
    const GraphView::Entries edges = v.graph.at(i);
    const std::uint64_t ours = first ? v.refused[i] : v.open[i], theirs = first ? refused_by_neighbours(edges) : ours;
    std::uint64_t open = 0;
    if ((ours | theirs) != 0) {
      typename Edges::Side own;
      by_edges.load(i, own);
      double sum[n] = {};
      for (std::uint64_t rest = ours | theirs; rest != 0; rest &= rest - 1) {
        const int bit = lowest_bit(rest), end = bit < last_edge_bit ? bit + 1 : edges.count;
        for (int e = bit; e < end; ++e) {
          const Offset entry = edges.first + e * edges.step;
          const Index j = v.graph.neighbour[entry];
          typename Edges::Side other;
          by_edges.load(j, other);
          double f[n];
          by_edges.of_edge(i, own, entry, j, other, first ? by_edges.dt : by_edges.dt * (1 - v.part[entry]), f);
          // l is the least of what both ends allow; the row of the other finds the same, to rounding.
          double l = 1;
          if (ours >> bit & 1) l = part(i, f, 1);
          if (theirs >> bit & 1) l = smaller(l, part(j, f, -1));
          if constexpr (!last) v.part[entry] = l;
          if (l < 1) open |= edge_bit(e);
          for (int k = 0; k < n; ++k) sum[k] += (first ? l - 1 : l) * f[k];
        }
      }
      change(i, sum);
    }
    if constexpr (!last) v.open[i] = open;
  }

  /// The sum goes to the state of the stage.
  TESSERA_HD_INLINE void change(Index i, const double (&sum)[n]) const {
    const PassViews<Equation>& v = by_edges.v;
    const double by = (1 - share) * reciprocal(v.graph.lumped_mass[i]);
    [[maybe_unused]] const double inverse_share = reciprocal(1 - share);
    [[maybe_unused]] double low[n];
    for (int k = 0; k < n; ++k) {
      const Offset at = k * v.stride + i;
      const double moved = to[at] + by * sum[k];
      to[at] = moved;
      if constexpr (!last) v.low[at] = low[k] = share > 0 ? inverse_share * (moved - share * start[at]) : moved;
    }
    if constexpr (!last && Equation::guards > 0) {
      double bounds[Equation::bounds];
      for (int k = 0; k < Equation::bounds; ++k) bounds[k] = by_edges.columns.bounds(k, i);
      v.low[n * v.stride + i] = v.equation.guard(bounds, low);
    }
  }
};

}  // namespace tessera::physics::conservation
