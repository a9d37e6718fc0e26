#pragma once
// Bodies of prolongation.hpp but for make_prolongation and the entries of R; instantiated by prolongation_threads.cpp
// and prolongation_cuda.cu.
#include "linalg/convert.hpp"
#include "linalg/row_walk.hpp"
#include "solvers/amg/prolongation.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// The entries of R = P^T; its own on each backend.
template <class Exec, class V>
void transpose_entries(Exec& exec, const linalg::CrsView<const V>& P, linalg::Crs<typename Exec::Space, V>& R);

/// The place of the column in a row of ascending columns; -1: it has none.
TESSERA_HD inline Index place_of(const Index* columns, Index count, Index column) {
  Index first = 0;
  while (count - first > 8) {
    const Index middle = (first + count) / 2;
    if (columns[middle] <= column)
      first = middle;
    else
      count = middle;
  }
  while (first < count && columns[first] != column) ++first;
  return first < count ? first : -1;
}

/// Brings the distinct aggregates among them, but for `own` and -1, to the front, ascending; returns how many.
TESSERA_HD inline Index sort_others(Index* aggregates, Index length, Index own) {
  Index count = 0;
  for (Index k = 0; k < length; ++k) {
    const Index aggregate = aggregates[k];
    if (aggregate < 0 || aggregate == own) continue;
    Index first = 0, last = count;
    while (first < last) {
      const Index middle = (first + last) / 2;
      if (aggregates[middle] < aggregate)
        first = middle + 1;
      else
        last = middle;
    }
    if (first < count && aggregates[first] == aggregate) continue;
    for (Index place = count; place > first; --place) aggregates[place] = aggregates[place - 1];
    aggregates[first] = aggregate;
    ++count;
  }
  return count;
}

/// Rows of P up to this length sum in a place of their own.
inline constexpr Index short_row = 16;

}  // namespace detail

template <class Exec, class V>
linalg::Crs<typename Exec::Space, V> prolongation_pattern(Exec& exec,
                                                          const Aggregates<typename Exec::Space>& aggregates,
                                                          StrongGraph<typename Exec::Space>&& graph) {
  using Space = typename Exec::Space;
  const View<const Index> aggregate = aggregates.of_row.view();
  const View<Index> seen = graph.col_ind;
  for_each(exec, seen.size(), [=] TESSERA_HD(Offset k) { seen[k] = aggregate[seen[k]]; });

  linalg::Crs<Space, V> P;
  P.rows = graph.rows;
  P.cols = aggregates.count;
  P.row_ptr = Array<Offset, Space>(Offset{graph.rows} + 1);
  const View<Offset> counts = P.row_ptr;
  const View<const Offset> row_ptr = graph.row_ptr.view();
  for_each(exec, graph.rows, [=] TESSERA_HD(Offset row) {
    Index* columns = seen.data() + row_ptr[row];
    const Index length = static_cast<Index>(row_ptr[row + 1] - row_ptr[row]), own = aggregate[row];
    counts[row] = detail::sort_others(columns, length, own) + (own >= 0);
  });
  const Offset entries = linalg::counts_to_offsets(exec, counts);
  P.col_ind = Array<Index, Space>(entries);
  P.values = Array<V, Space>(entries);
  const View<Index> col_ind = P.col_ind;
  for_each(exec, graph.rows, [=] TESSERA_HD(Offset row) {
    const Index own = aggregate[row];
    const Index* others = seen.data() + row_ptr[row];
    bool waits = own >= 0;  // for its place
    for (Offset k = counts[row]; k < counts[row + 1]; ++k) {
      const bool takes = waits && (k + 1 == counts[row + 1] || *others > own);
      col_ind[k] = takes ? own : *others++;
      waits = waits && !takes;
    }
  });
  return P;
}

template <class Exec, class V>
void prolongation_values(Exec& exec, const linalg::CrsView<const double>& A, View<const double> diagonal,
                         const Strength& strength, double omega, View<const double> parts, View<const Index> aggregate,
                         linalg::CrsView<V> P) {
  for_each_row(exec, A, [=] TESSERA_HD(Offset row, const linalg::RowEntries<double>& entries) {
    const Offset first = P.row_ptr[row];
    const Index count = static_cast<Index>(P.row_ptr[row + 1] - first);
    if (count == 0) return;
    V sums[detail::short_row];
    V* values = count <= detail::short_row ? sums : P.values.data() + first;
    const Index* columns = P.col_ind.data() + first;
    for (Index k = 0; k < count; ++k) values[k] = 0;
    const double d = diagonal[row], factor = (parts.empty() ? omega : omega * parts[row]) / d;
    double lumped = d;
    for (Offset k = 0; k < entries.length; ++k) {
      const Index col = entries.col_ind[k];
      if (col == row) continue;
      const double a = entries.values[k];
      const Index place = strength.is_strong(a, row, col) ? detail::place_of(columns, count, aggregate[col]) : -1;
      if (place >= 0)
        values[place] -= static_cast<V>(factor * a);
      else
        lumped += a;
    }
    const Index own = detail::place_of(columns, count, aggregate[row]);
    if (own >= 0) values[own] += static_cast<V>(1 - factor * lumped);
    if (count > detail::short_row) return;
    for (Index k = 0; k < count; ++k) P.values[first + k] = values[k];
  });
}

template <class Exec, class V>
linalg::Crs<typename Exec::Space, V> transpose(Exec& exec, const linalg::CrsView<const V>& P) {
  using Space = typename Exec::Space;
  linalg::Crs<Space, V> R;
  R.rows = P.cols;
  R.cols = P.rows;
  R.row_ptr = Array<Offset, Space>(Offset{R.rows} + 1);
  R.col_ind = Array<Index, Space>(P.col_ind.size());
  R.values = Array<V, Space>(P.col_ind.size());
  detail::transpose_entries(exec, P, R);
  return R;
}

template <class Exec, class V>
void transpose_values(Exec& exec, const linalg::CrsView<const V>& P, linalg::CrsView<V> R) {
  for_each_entry(exec, R, [=] TESSERA_HD(Offset row, Offset k) {
    const Offset from = P.row_ptr[R.col_ind[k]];
    const auto length = static_cast<Index>(P.row_ptr[R.col_ind[k] + 1] - from);
    R.values[k] = P.values[from + detail::place_of(P.col_ind.data() + from, length, static_cast<Index>(row))];
  });
}

#define TESSERA_INSTANTIATE_PROLONGATION(Exec, V)                                                                     \
  template linalg::Crs<Exec::Space, V> prolongation_pattern(Exec&, const Aggregates<Exec::Space>&,                    \
                                                            StrongGraph<Exec::Space>&&);                              \
  template linalg::Crs<Exec::Space, V> make_prolongation(                                                             \
      Exec&, const linalg::CrsView<const double>&, View<const double>, const Strength&, double, View<const double>,   \
      const Aggregates<Exec::Space>&, StrongGraph<Exec::Space>&&);                                                    \
  template void prolongation_values(Exec&, const linalg::CrsView<const double>&, View<const double>, const Strength&, \
                                    double, View<const double>, View<const Index>, linalg::CrsView<V>);               \
  template linalg::Crs<Exec::Space, V> transpose(Exec&, const linalg::CrsView<const V>&);                             \
  template void transpose_values(Exec&, const linalg::CrsView<const V>&, linalg::CrsView<V>)

}  // namespace tessera::solvers::amg
