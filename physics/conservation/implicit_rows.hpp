#pragma once
// Rows of the operator of an implicit step, as the passes of rows.hpp see them. Beside what rows.hpp lists an Equation
// has for them
//   jacobian           d(F(u) c)/du at the state of a node, [n, n], row-major
#include <vector>

#include "physics/conservation/implicit_step.hpp"
#include "physics/conservation/rows.hpp"

namespace tessera::physics::conservation {

/// Whether an equation has implicit steps: it says has_jacobian.
template <class Equation>
constexpr bool says_jacobian() {
  if constexpr (requires { Equation::has_jacobian; })
    return Equation::has_jacobian;
  else
    return false;
}
template <class Equation>
inline constexpr bool is_implicit = says_jacobian<Equation>();

/// Where the blocks of a row stand, in the order of their columns: those of own nodes, and behind them those of ghosts.
struct BlockPlaces {
  struct Place {
    Offset at;
    bool is_ghost;
  };
  const Offset *own_ptr, *ghost_at;

  TESSERA_HD_INLINE Place of(Index row, Offset k) const {
    const Offset at = own_ptr[row] + k, beyond = at - own_ptr[row + 1];
    if (beyond < 0) return {at, false};
    return {ghost_at[row] + beyond, true};
  }
};
template <class Space>
BlockPlaces places_of(const ImplicitMatrix<Space>& A) {
  return {A.own.row_ptr.data(), A.ghost_at.data()};
}

/// Neighbours of some nodes that others own.
struct CountGhostsPass {
  GraphView graph;
  Index owned;
  const Index* nodes;
  Index* counts;

  TESSERA_HD void operator()(Offset k) const {
    Index count = 0;
    graph.each(nodes[k], [&](Offset, Index j) { count += j >= owned ? 1 : 0; });
    counts[k] = count;
  }
};

/// The columns of the block rows: the neighbours of a node and itself, ascending.
struct ColumnsPass {
  GraphView graph;
  BlockPlaces places;
  Index owned;
  Index *own_col, *ghost_col;

  TESSERA_HD void operator()(Offset row) const {
    const Index i = static_cast<Index>(row);
    Offset k = 0;
    bool is_placed = false;
    graph.each(i, [&](Offset, Index j) {
      if (j > i && !is_placed) {
        put(i, k++, i);
        is_placed = true;
      }
      put(i, k++, j);
    });
    if (!is_placed) put(i, k, i);
  }

 private:
  TESSERA_HD_INLINE void put(Index i, Offset k, Index column) const {
    const BlockPlaces::Place place = places.of(i, k);
    if (place.is_ghost)
      ghost_col[place.at] = column - owned;
    else
      own_col[place.at] = column;
  }
};

/// `row_ptr` [block rows + 1] and room for the columns and values.
template <class Space>
linalg::BlockCrs<Space> room_of_blocks(const std::vector<Offset>& row_ptr, Offset columns, int block) {
  linalg::BlockCrs<Space> A;
  A.rows = static_cast<Index>(row_ptr.size() - 1) * block;
  A.cols = static_cast<Index>(columns) * block;
  A.block = block;
  A.col_ind = Array<Index, Space>(row_ptr.back());
  A.values = Array<double, Space>(row_ptr.back() * block * block);
  A.row_ptr = to_space<Space>(row_ptr);
  return A;
}

/// Block rows of `block` numbers a node for the first `owned` nodes of a graph, without values; `boundary`: of these
/// all that may have neighbours among the others, ascending.
template <class Exec>
ImplicitMatrix<typename Exec::Space> block_pattern(Exec& exec, const Graph<typename Exec::Space>& graph, Index owned,
                                                   const std::vector<Index>& boundary, int block) {
  using Space = typename Exec::Space;
  std::vector<std::uint16_t> degree(static_cast<std::size_t>(owned));
  copy_bytes(Space{}, graph.edges.degree.data(), Host{}, degree.data(), degree.size() * sizeof(std::uint16_t));
  const auto nodes = to_space<Space>(boundary);
  Array<Index, Space> counts(nodes.size());
  for_each(exec, nodes.size(), CountGhostsPass{view_of(graph), owned, nodes.data(), counts.data()});
  const std::vector<Index> of_boundary = to_vector(counts);
  std::vector<Index> ghosts(boundary.empty() ? 0 : static_cast<std::size_t>(owned), 0);
  std::vector<Offset> own_ptr{0}, ghost_ptr{0}, ghost_at(ghosts.size(), 0);
  for (std::size_t k = 0; k < boundary.size(); ++k) {
    ghosts[static_cast<std::size_t>(boundary[k])] = of_boundary[k];
    ghost_at[static_cast<std::size_t>(boundary[k])] = ghost_ptr.back();
    ghost_ptr.push_back(ghost_ptr.back() + of_boundary[k]);
  }
  for (std::size_t i = 0; i < degree.size(); ++i)
    own_ptr.push_back(own_ptr.back() + degree[i] + 1 - (ghosts.empty() ? 0 : ghosts[i]));
  ImplicitMatrix<Space> A{room_of_blocks<Space>(own_ptr, owned, block),
                          room_of_blocks<Space>(ghost_ptr, graph.edges.nodes - owned, block),
                          to_space<Space>(ghost_at)};
  for_each(exec, owned, ColumnsPass{view_of(graph), places_of(A), owned, A.own.col_ind.data(), A.ghost.col_ind.data()});
  return A;
}

/// One block row. J is the derivative of the group fluxes with viscosities as they are:
///   J_ij = -A(u_j) c_ij + d_ij,   J_ii = sum_j A(u_i) c_ij - d_ij.
/// Reads c and d.
template <class Equation>
struct ImplicitPass {
  static constexpr int dim = Equation::dim, n = Equation::n;
  PassViews<Equation> v;
  ImplicitStep step;
  BlockPlaces places;
  double *own_values, *ghost_values;  ///< [blocks, n, n]

  TESSERA_HD void operator()(Offset node) const {
    const Index i = static_cast<Index>(node);
    typename Equation::State own;
    v.load(own, i);
    const double tau = v.longest[i], dt = step.length(tau), by = -step.theta * dt * reciprocal(v.graph.lumped_mass[i]);
    double c[dim] = {}, sum = 0, a[n * n];
    const RowEntries edges = v.graph.at(i);
    Offset diagonal = places.own_ptr[i];
    for (int e = 0; e < edges.count; ++e) {
      const Offset entry = edges.first + e * edges.step;
      const Index j = v.graph.neighbour[entry];
      typename Equation::State other;
      v.load(other, j);
      const EdgeCoefficients<dim> edge = v.graph.template edge<dim>(entry, i, j);
      const double d = viscosity(own, other, edge, entry, i, j);
      sum += d;
      for (int k = 0; k < dim; ++k) c[k] += edge.c_ij[k];
      v.equation.jacobian(other, edge.c_ij, a);
      for (int k = 0; k < n * n; ++k) a[k] = -by * a[k];
      for (int k = 0; k < n; ++k) a[k * n + k] += by * d;
      const BlockPlaces::Place place = places.of(i, e + (j > i ? 1 : 0));
      write(i, a, 0, (place.is_ghost ? ghost_values : own_values) + place.at * n * n);
      if (j < i) diagonal = places.own_ptr[i] + e + 1;
    }
    v.equation.jacobian(own, c, a);
    for (int k = 0; k < n * n; ++k) a[k] = by * a[k];
    for (int k = 0; k < n; ++k) a[k * n + k] -= by * sum;
    write(i, a, step.theta * dt * reciprocal(tau), own_values + diagonal * n * n);
    double* const own_block = own_values + diagonal * n * n;
    for (int k = 0; k < n; ++k) own_block[k * n + k] += 1;
  }

 private:
  TESSERA_HD_INLINE double viscosity(const typename Equation::State& own, const typename Equation::State& other,
                                     const EdgeCoefficients<dim>& edge, Offset entry, Index i, Index j) const {
    if constexpr (can_limit<Equation>) {
      const double d = v.viscosity[entry];
      if (step.limited == 0 || !(d > 0)) return d;  // without it an edge has no part
      return d * (1 - step.limited * v.part[entry] * (1 - 0.5 * (v.smooth[i] + v.smooth[j])));
    } else {
      double brought[n];
      return v.equation.diffuse(own, other, edge, brought);
    }
  }
  /// block = S^-1 (B a + back (1 - B)) S.
  TESSERA_HD_INLINE void write(Index i, const double (&a)[n * n], double back, double* block) const {
    const Index slot = step.slot[i];
    const double* const turn = slot < 0 ? nullptr : step.turns + Offset{slot} * n * n;
    for (int k = 0; k < n; ++k) {
      const double inverse = reciprocal(step.scales[k]);
      for (int l = 0; l < n; ++l) {
        double value = a[k * n + l];
        if (turn) {
          value = back * ((k == l ? 1 : 0) - turn[k * n + l]);
          for (int m = 0; m < n; ++m) value += turn[k * n + m] * a[m * n + l];
        }
        block[k * n + l] = inverse * value * step.scales[l];
      }
    }
  }
};

}  // namespace tessera::physics::conservation
