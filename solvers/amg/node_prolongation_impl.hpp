#pragma once
// P and R of nodes with several unknowns: bodies of node_setup.hpp, part of node_setup_impl.hpp.
#include "base/lower_bound.hpp"
#include "base/parallel.hpp"
#include "solvers/amg/node_setup.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// A vector u with R u = e_column but for columns of R that are zero, where u is zero.
TESSERA_HD inline void solve_factor(const double* R, int n, int column, double* u) {
  for (int row = n - 1; row >= 0; --row) {
    double sum = row == column ? 1 : 0;
    for (int k = row + 1; k < n; ++k) sum -= R[row * n + k] * u[k];
    u[row] = R[row * n + row] > 0 ? sum / R[row * n + row] : 0;
  }
}

/// A column of the row of P of a node while it is made.
template <class V>
struct ProlongationColumn {
  const NodeMatrixView<const double>& A;
  const Tentative& of;
  const NodeMatrixView<V>& P;
  Offset node;
  int column;
  Offset first;  ///< block of the row
  Index count;   ///< of its blocks

  TESSERA_HD ProlongationColumn(const NodeMatrixView<const double>& A, const Tentative& of, const NodeMatrixView<V>& P,
                                Offset node, int column)
      : A(A),
        of(of),
        P(P),
        node(node),
        column(column),
        first(P.row_ptr[node]),
        count(static_cast<Index>(P.row_ptr[node + 1] - first)) {}

  /// -1: the aggregate is not in the pattern.
  TESSERA_HD Index place_of(Index aggregate) const {
    for (Index place = 0; place < count; ++place)
      if (P.col_ind[first + place] == aggregate) return place;
    return -1;
  }
  TESSERA_HD V& entry(Index place, int i) const {
    return P.values[((first + place) * P.height + i) * P.width + column];
  }
  TESSERA_HD void clear() const {
    for (Index place = 0; place < count; ++place)
      for (int i = 0; i < P.height; ++i) entry(place, i) = 0;
  }
  TESSERA_HD double tentative(Offset at, int j, int mode) const { return of.T[(at * P.height + j) * of.modes + mode]; }
  /// t = the column of T of a node.
  TESSERA_HD void take(Index at, double* t) const {
    for (int j = 0; j < P.height; ++j) t[j] = tentative(at, j, column);
  }
  /// t = T R_at R_own^-1 e: the column of the own aggregate, continued to the node; u = R_own^-1 e.
  TESSERA_HD void continue_to(Index at, const double* u, double* t) const {
    const int m = of.modes;
    const double* R = of.factors.data() + Offset{of.aggregate[at]} * m * m;
    for (int j = 0; j < P.height; ++j) t[j] = 0;
    for (int a = 0; a < m; ++a) {
      double v = 0;
      for (int b = a; b < m; ++b) v += R[a * m + b] * u[b];
      for (int j = 0; j < P.height; ++j) t[j] += tentative(at, j, a) * v;
    }
  }
  /// The entry += A_k t.
  TESSERA_HD void add(Offset k, const double* t, Index place) const {
    const int n = P.height;
    const double* block = A.values.data() + k * n * n;
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += block[i * n + j] * t[j];
      entry(place, i) += static_cast<V>(sum);
    }
  }
  /// The entries become T - omega D^-1 of what they were.
  TESSERA_HD void finish(const View<const double>& inverse, double omega, Index own) const {
    const int n = P.height;
    const double* D = inverse.data() + node * n * n;
    for (Index place = 0; place < count; ++place) {
      double sums[most_unknowns];
      for (int i = 0; i < n; ++i) {
        sums[i] = 0;
        for (int j = 0; j < n; ++j) sums[i] += D[i * n + j] * static_cast<double>(entry(place, j));
      }
      for (int i = 0; i < n; ++i)
        entry(place, i) = static_cast<V>((place == own ? tentative(node, i, column) : 0) - omega * sums[i]);
    }
  }
};

}  // namespace detail

template <class Exec, class V>
void prolongation_values(Exec& exec, const NodeMatrixView<const double>& A, View<const double> numbers,
                         const Strength& strength, View<const double> inverse, double omega, const Tentative& tentative,
                         NodeMatrixView<V> P) {
  const Tentative of = tentative;
  for_each(exec, Offset{A.rows} * of.modes, [=] TESSERA_HD(Offset item) {
    const detail::ProlongationColumn<V> row(A, of, P, item / of.modes, static_cast<int>(item % of.modes));
    if (row.count == 0) return;
    row.clear();
    const Index aggregate = of.aggregate[row.node], own = row.place_of(aggregate);
    double t[most_unknowns], u[most_unknowns];
    bool has_u = false;
    for (Offset k = A.row_ptr[row.node]; k < A.row_ptr[row.node + 1]; ++k) {
      const Index col = A.col_ind[k], other = of.aggregate[col];
      if (other < 0) continue;
      const bool strong = col == row.node || strength.is_strong(numbers[k], row.node, col);
      const Index place = strong ? row.place_of(other) : -1;
      if (place < 0 && own < 0) continue;
      if (place < 0 && !has_u) {
        detail::solve_factor(of.factors.data() + Offset{aggregate} * of.modes * of.modes, of.modes, row.column, u);
        has_u = true;
      }
      if (place >= 0)
        row.take(col, t);
      else
        row.continue_to(col, u, t);
      row.add(k, t, place >= 0 ? place : own);
    }
    row.finish(inverse, omega, own);
  });
}

/// A row of P after the other, for those are short: columns are looked for in the long rows of R. Over ranks P also has
/// columns of others' aggregates, which R has not.
template <class Exec, class V>
void transpose_values(Exec& exec, const NodeMatrixView<const V>& P, NodeMatrixView<V> R) {
  for_each(exec, P.rows, [=] TESSERA_HD(Offset node) {
    for (Offset k = P.row_ptr[node]; k < P.row_ptr[node + 1]; ++k) {
      const Index row = P.col_ind[k];
      if (row >= R.rows) continue;
      const Offset first = R.row_ptr[row], last = R.row_ptr[row + 1],
                   place = lower_bound(R.col_ind.data(), first, last, static_cast<Index>(node));
      if (place == last || R.col_ind[place] != node) continue;
      for (int i = 0; i < R.height; ++i)
        for (int j = 0; j < R.width; ++j)
          R.values[(place * R.height + i) * R.width + j] = P.values[(k * P.height + j) * P.width + i];
    }
  });
}

}  // namespace tessera::solvers::amg
