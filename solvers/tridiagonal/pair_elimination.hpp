#pragma once
// Elimination with full partial pivoting inside a partition, for host and device.
//
// Rows come in pairs: rows 2p and 2p+1 couple x_{2p-1} .. x_{2p+2}. A tridiagonal matrix is such a matrix, and so is
// what is left of one when each partition of m rows (m even) keeps its first and last unknown: two rows a partition
// that couple the last unknown of the partition before, its own two, and the first of the one behind. So one
// elimination serves all levels. All entries of an eliminated unknown's column stand in its partition: choosing the
// pivot there is choosing it in the whole column, and the elimination is Gaussian elimination with partial pivoting in
// another order of the unknowns.
#include "solvers/tridiagonal/elimination.hpp"

namespace tessera::solvers::tridiagonal {

/// Two rows: coefficients of four unknowns, then the right-hand side.
template <class T>
struct Pair {
  T row[2][5];
};

/// x_k = first (rhs1 - a x_{k+1} - b x_{k+2} - c x_{k+3}), x_{k+1} = second (rhs2 - d x_{k+2} - e x_{k+3}).
template <class T>
struct PairFactor {
  T first, a, b, c, rhs1, second, d, e, rhs2;
};

namespace detail {

/// Two unknowns at the start of the partition, four of the window, right-hand side.
template <class T>
struct WideRow {
  T v[7];
};

/// Exchanges the rows where the second has the larger entry in `column`: no branch.
template <int column, class T>
TESSERA_HD inline void larger_first(WideRow<T>& a, WideRow<T>& b) {
  const bool exchange = magnitude(b.v[column]) > magnitude(a.v[column]);
#pragma unroll
  for (int j = 0; j < 7; ++j) {
    const T x = exchange ? b.v[j] : a.v[j], y = exchange ? a.v[j] : b.v[j];
    a.v[j] = x, b.v[j] = y;
  }
}

/// row -= row[column] inverse pivot
template <int column, class T>
TESSERA_HD inline void subtract(WideRow<T>& row, const WideRow<T>& pivot, T inverse) {
  const T f = row.v[column] * inverse;
  row.v[0] -= f * pivot.v[0];
  row.v[1] -= f * pivot.v[1];
#pragma unroll
  for (int j = column + 1; j < 7; ++j) row.v[j] -= f * pivot.v[j];
}

}  // namespace detail

/// Eliminates x_k and x_{k+1} from the carried pair, over (x_{-1}, x_0, x_k, x_{k+1}), and the next one, over x_k ..
/// x_{k+3}: the two rows that are left are carried on, over (x_{-1}, x_0, x_{k+2}, x_{k+3}).
template <class T>
TESSERA_HD inline PairFactor<T> eliminate(Pair<T>& carried, const Pair<T>& next) {
  const auto& c = carried.row;
  const auto& n = next.row;
  detail::WideRow<T> r0{{c[0][0], c[0][1], c[0][2], c[0][3], 0, 0, c[0][4]}},
      r1{{c[1][0], c[1][1], c[1][2], c[1][3], 0, 0, c[1][4]}};
  detail::WideRow<T> r2{{0, 0, n[0][0], n[0][1], n[0][2], n[0][3], n[0][4]}},
      r3{{0, 0, n[1][0], n[1][1], n[1][2], n[1][3], n[1][4]}};
  detail::larger_first<2>(r0, r1);
  detail::larger_first<2>(r2, r3);
  detail::larger_first<2>(r0, r2);
  const T first = reciprocal(r0.v[2]);
  detail::subtract<2>(r1, r0, first);
  detail::subtract<2>(r2, r0, first);
  detail::subtract<2>(r3, r0, first);
  detail::larger_first<3>(r1, r2);
  detail::larger_first<3>(r1, r3);
  const T second = reciprocal(r1.v[3]);
  detail::subtract<3>(r2, r1, second);
  detail::subtract<3>(r3, r1, second);
  carried = {{{r2.v[0], r2.v[1], r2.v[4], r2.v[5], r2.v[6]}, {r3.v[0], r3.v[1], r3.v[4], r3.v[5], r3.v[6]}}};
  return {first, r0.v[3], r0.v[4], r0.v[5], r0.v[6], second, r1.v[4], r1.v[5], r1.v[6]};
}

/// m rows of a tridiagonal matrix, or of a matrix of pairs; factors take their place.
template <class T, int m>
struct TridiagonalChunk {
  T lower[m], diag[m], upper[m], rhs[m];
  T more[m / 2];

  TESSERA_HD Pair<T> pair(int p) const {
    const int i = 2 * p, j = i + 1;
    return {{{lower[i], diag[i], upper[i], 0, rhs[i]}, {0, lower[j], diag[j], upper[j], rhs[j]}}};
  }
  TESSERA_HD void keep(int p, const PairFactor<T>& f) {
    const int i = 2 * p, j = i + 1;
    lower[i] = f.first, diag[i] = f.a, upper[i] = f.b, more[p] = f.c, rhs[i] = f.rhs1;
    lower[j] = f.second, diag[j] = f.d, upper[j] = f.e, rhs[j] = f.rhs2;
  }
  TESSERA_HD PairFactor<T> factor(int p) const {
    const int i = 2 * p, j = i + 1;
    return {lower[i], diag[i], upper[i], more[p], rhs[i], lower[j], diag[j], upper[j], rhs[j]};
  }
};
template <class T, int m>
struct PairChunk {
  T values[5][m];  ///< four coefficients and the right-hand side of each row

  TESSERA_HD Pair<T> pair(int p) const {
    Pair<T> result;
#pragma unroll
    for (int j = 0; j < 5; ++j) result.row[0][j] = values[j][2 * p], result.row[1][j] = values[j][2 * p + 1];
    return result;
  }
  TESSERA_HD void keep(int p, const PairFactor<T>& f) {
    const int i = 2 * p, j = i + 1;
    values[0][i] = f.first, values[1][i] = f.a, values[2][i] = f.b, values[3][i] = f.c, values[4][i] = f.rhs1;
    values[0][j] = f.second, values[1][j] = f.d, values[2][j] = f.e, values[4][j] = f.rhs2;
  }
  TESSERA_HD PairFactor<T> factor(int p) const {
    const int i = 2 * p, j = i + 1;
    return {values[0][i], values[1][i], values[2][i], values[3][i], values[4][i],
            values[0][j], values[1][j], values[2][j], values[4][j]};
  }
};

/// The two rows of the reduced system, over (x_{-1}, x_0, x_{m-1}, x_m).
template <class T, int m, template <class, int> class Chunk>
TESSERA_HD inline Pair<T> reduce_partition(const Chunk<T, m>& rows) {
  Pair<T> carried = rows.pair(0);
#pragma unroll
  for (int p = 1; p < m / 2; ++p) eliminate(carried, rows.pair(p));
  return carried;
}

/// x[0 .. m), when the unknowns around and at both ends are known: left = x_{-1}, first = x_0, last = x_{m-1}, right =
/// x_m.
template <class T, int m, template <class, int> class Chunk>
TESSERA_HD inline void solve_partition(Chunk<T, m>& rows, T left, T first, T last, T right, T (&x)[m]) {
  Pair<T> carried = rows.pair(0);
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    carried.row[r][4] -= carried.row[r][0] * left + carried.row[r][1] * first;
    carried.row[r][0] = carried.row[r][1] = 0;
  }
#pragma unroll
  for (int p = 1; p < m / 2; ++p) rows.keep(p, eliminate(carried, rows.pair(p)));
  x[0] = first;
  x[m - 1] = last;
#pragma unroll
  for (int p = m / 2 - 1; p > 0; --p) {
    const PairFactor<T> f = rows.factor(p);
    const T third = x[2 * p + 1], fourth = 2 * p + 2 < m ? x[(2 * p + 2) % m] : right;
    x[2 * p] = f.second * (f.rhs2 - f.d * third - f.e * fourth);
    x[2 * p - 1] = f.first * (f.rhs1 - f.a * x[2 * p] - f.b * third - f.c * fourth);
  }
}

/// The whole system is one partition: its two rows, over x_0 and x_{m-1}, by elimination with pivoting.
template <class T>
TESSERA_HD inline void solve_ends(const Pair<T>& ends, T& first, T& last) {
  const bool exchange = magnitude(ends.row[1][1]) > magnitude(ends.row[0][1]);
  const T p = exchange ? ends.row[1][1] : ends.row[0][1], q = exchange ? ends.row[1][2] : ends.row[0][2];
  const T r = exchange ? ends.row[1][4] : ends.row[0][4];
  const T s = exchange ? ends.row[0][1] : ends.row[1][1], t = exchange ? ends.row[0][2] : ends.row[1][2];
  const T u = exchange ? ends.row[0][4] : ends.row[1][4];
  const T inverse = reciprocal(p), f = s * inverse;
  last = (u - f * r) * reciprocal(t - f * q);
  first = (r - q * last) * inverse;
}

}  // namespace tessera::solvers::tridiagonal
