#pragma once
// Rows of the operator of an implicit step, as the passes of rows.hpp see them. Beside what rows.hpp lists an Equation
// has for them
//   jacobian           d(F(u) c)/du at the state of a node, [n, n], row-major
#include <vector>

#include "linalg/block_crs.hpp"
#include "physics/conservation/implicit_step.hpp"
#include "physics/conservation/rows.hpp"

namespace tessera::physics::conservation {

/// Whether an equation has implicit steps: it says has_jacobian.
template <class Equation>
inline constexpr bool is_implicit = requires {
  Equation::has_jacobian;
};

/// The columns of the block rows: the neighbours of a node and itself, ascending.
struct ColumnsPass {
  GraphView graph;
  const Offset* row_ptr;
  Index* col_ind;

  TESSERA_HD void operator()(Offset row) const {
    const Index i = static_cast<Index>(row);
    Offset at = row_ptr[i];
    bool is_placed = false;
    graph.each(i, [&](Offset, Index j) {
      if (j > i && !is_placed) {
        col_ind[at++] = i;
        is_placed = true;
      }
      col_ind[at++] = j;
    });
    if (!is_placed) col_ind[at] = i;
  }
};

/// Block rows of `block` numbers a node on a graph, without values.
template <class Exec>
linalg::BlockCrs<typename Exec::Space> block_pattern(Exec& exec, const Graph<typename Exec::Space>& graph, int block) {
  using Space = typename Exec::Space;
  const Offset nodes = graph.edges.nodes;
  std::vector<std::uint16_t> degree(static_cast<std::size_t>(nodes));
  copy_bytes(Space{}, graph.edges.degree.data(), Host{}, degree.data(), degree.size() * sizeof(std::uint16_t));
  std::vector<Offset> row_ptr{0};
  for (const std::uint16_t edges : degree) row_ptr.push_back(row_ptr.back() + edges + 1);
  linalg::BlockCrs<Space> A;
  A.rows = A.cols = static_cast<Index>(nodes) * block;
  A.block = block;
  A.col_ind = Array<Index, Space>(row_ptr.back());
  A.values = Array<double, Space>(row_ptr.back() * block * block);
  A.row_ptr = to_space<Space>(row_ptr);
  for_each(exec, nodes, ColumnsPass{view_of(graph), A.row_ptr.data(), A.col_ind.data()});
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
  const Offset* row_ptr;
  double* values;  ///< [blocks, n, n]

  TESSERA_HD void operator()(Offset node) const {
    const Index i = static_cast<Index>(node);
    typename Equation::State own;
    v.load(own, i);
    const double tau = v.longest[i], dt = step.length(tau), by = -step.theta * dt * reciprocal(v.graph.lumped_mass[i]);
    double c[dim] = {}, sum = 0, a[n * n];
    const GraphView::Entries edges = v.graph.at(i);
    Offset diagonal = row_ptr[i];
    for (int e = 0; e < edges.count; ++e) {
      const Offset entry = edges.first + e * edges.step;
      const Index j = v.graph.neighbour[entry];
      typename Equation::State other;
      v.load(other, j);
      const assembly::EdgeAt<dim> edge = v.graph.template edge<dim>(entry, i, j);
      const double d = viscosity(own, other, edge, entry, i, j);
      sum += d;
      for (int k = 0; k < dim; ++k) c[k] += edge.c_ij[k];
      v.equation.jacobian(other, edge.c_ij, a);
      for (int k = 0; k < n * n; ++k) a[k] = -by * a[k];
      for (int k = 0; k < n; ++k) a[k * n + k] += by * d;
      write(i, a, 0, values + (row_ptr[i] + e + (j > i ? 1 : 0)) * n * n);
      if (j < i) diagonal = row_ptr[i] + e + 1;
    }
    v.equation.jacobian(own, c, a);
    for (int k = 0; k < n * n; ++k) a[k] = by * a[k];
    for (int k = 0; k < n; ++k) a[k * n + k] -= by * sum;
    write(i, a, step.theta * dt * reciprocal(tau), values + diagonal * n * n);
    double* const own_block = values + diagonal * n * n;
    for (int k = 0; k < n; ++k) own_block[k * n + k] += 1;
  }

 private:
  TESSERA_HD_INLINE double viscosity(const typename Equation::State& own, const typename Equation::State& other,
                                     const assembly::EdgeAt<dim>& edge, Offset entry, Index i, Index j) const {
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
