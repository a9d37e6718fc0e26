#pragma once
// Bodies of strength.hpp, written once; instantiated by strength_threads.cpp and strength_cuda.cu.
#include <cmath>

#include "base/lower_bound.hpp"
#include "linalg/convert.hpp"
#include "linalg/row_walk.hpp"
#include "solvers/amg/strength.hpp"

namespace tessera::solvers::amg {

template <class Exec>
Array<double, typename Exec::Space> symmetric_part(Exec& exec, const linalg::CrsView<const double>& A) {
  Array<double, typename Exec::Space> result(A.values.size());
  const View<double> values = result;
  for_each_entry(exec, A, [=] TESSERA_HD(Offset row, Offset k) {
    const Index col = A.col_ind[k];
    const Offset last = A.row_ptr[col + 1];
    const Offset first = lower_bound(A.col_ind.data(), A.row_ptr[col], last, row);
    const bool mirrored = first < last && A.col_ind[first] == row;
    values[k] = 0.5 * (A.values[k] + (mirrored ? A.values[first] : 0));
  });
  return result;
}

template <class Exec>
Array<double, typename Exec::Space> smoothed_parts(Exec& exec, const linalg::CrsView<const double>& A,
                                                   View<const double> mean) {
  Array<double, typename Exec::Space> result(A.rows);
  const View<double> part = result;
  for_each(exec, A.rows, [=] TESSERA_HD(Offset row) {
    double flow = 0, beside = 0;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      if (A.col_ind[k] == row) continue;
      flow += fabs(A.values[k] - mean[k]);
      beside += fabs(mean[k]);
    }
    const double left = (flow_rules * beside - flow) / ((flow_rules - flow_begins) * beside);
    part[row] = beside == 0 || left > 1 ? 1 : left > 0 ? left : 0;
  });
  return result;
}

template <class Exec>
RowScales<typename Exec::Space> find_scales(Exec& exec, const linalg::CrsView<const double>& A) {
  using Space = typename Exec::Space;
  RowScales<Space> result;
  result.diagonal = Array<double, Space>(A.rows);
  result.largest = Array<double, Space>(A.rows);
  const View<double> diagonal = result.diagonal, largest = result.largest;
  for_each_row(exec, A, [=] TESSERA_HD(Offset row, const linalg::RowEntries<double>& entries) {
    double on = 0, most = 0;
    for (Offset k = 0; k < entries.length; ++k) {
      const double a = entries.values[k];
      if (entries.col_ind[k] == row)
        on = a;
      else
        most = -a > most ? -a : most;
    }
    diagonal[row] = on;
    largest[row] = most;
  });
  Array<double, Space> sums(2);
  // What is not a number is not above anything either.
  const auto is_good = [=] TESSERA_HD(Offset row) { return diagonal[row] > 1e-300 && diagonal[row] < 1e300; };
  reduce(
      exec, A.rows, [=] TESSERA_HD(Offset row) { return is_good(row) ? 0.0 : 1.0; }, sums.data());
  reduce(
      exec, A.rows, [=] TESSERA_HD(Offset row) { return is_good(row) ? diagonal[row] : 0.0; }, sums.data() + 1);
  const auto host = to_vector(sums);
  result.bad = host[0];
  result.sum = host[1];
  return result;
}

template <class Exec>
StrongGraph<typename Exec::Space> make_strong_graph(Exec& exec, const linalg::CrsView<const double>& A,
                                                    const Strength& strength) {
  using Space = typename Exec::Space;
  StrongGraph<Space> graph;
  graph.rows = A.rows;
  graph.row_ptr = Array<Offset, Space>(Offset{A.rows} + 1);
  const View<Offset> counts = graph.row_ptr;
  for_each_row(exec, A, [=] TESSERA_HD(Offset row, const linalg::RowEntries<double>& entries) {
    Offset count = 0;
    for (Offset k = 0; k < entries.length; ++k) count += strength.is_strong(entries.values[k], row, entries.col_ind[k]);
    counts[row] = count;
  });
  graph.col_ind = Array<Index, Space>(linalg::counts_to_offsets(exec, counts));
  const View<Index> col_ind = graph.col_ind;
  const View<const Offset> starts = counts;
  for_each_row(exec, A, [=] TESSERA_HD(Offset row, const linalg::RowEntries<double>& entries) {
    Offset place = starts[row];
    for (Offset k = 0; k < entries.length; ++k)
      if (strength.is_strong(entries.values[k], row, entries.col_ind[k])) col_ind[place++] = entries.col_ind[k];
  });
  return graph;
}

template <class Exec>
StrongGraph<typename Exec::Space> first_columns(Exec& exec, const StrongGraph<typename Exec::Space>& graph,
                                                Index cols) {
  using Space = typename Exec::Space;
  StrongGraph<Space> result;
  result.rows = graph.rows;
  result.row_ptr = Array<Offset, Space>(Offset{graph.rows} + 1);
  const View<const Offset> from = graph.row_ptr;
  const View<const Index> all = graph.col_ind;
  const View<Offset> counts = result.row_ptr;
  for_each(exec, graph.rows, [=] TESSERA_HD(Offset row) {
    Offset count = 0;
    for (Offset k = from[row]; k < from[row + 1]; ++k) count += all[k] < cols;
    counts[row] = count;
  });
  result.col_ind = Array<Index, Space>(linalg::counts_to_offsets(exec, counts));
  const View<Index> some = result.col_ind;
  const View<const Offset> starts = counts;
  for_each(exec, graph.rows, [=] TESSERA_HD(Offset row) {
    Offset place = starts[row];
    for (Offset k = from[row]; k < from[row + 1]; ++k)
      if (all[k] < cols) some[place++] = all[k];
  });
  return result;
}

#define TESSERA_INSTANTIATE_STRENGTH(Exec)                                                                             \
  template Array<double, Exec::Space> symmetric_part(Exec&, const linalg::CrsView<const double>&);                     \
  template Array<double, Exec::Space> smoothed_parts(Exec&, const linalg::CrsView<const double>&, View<const double>); \
  template RowScales<Exec::Space> find_scales(Exec&, const linalg::CrsView<const double>&);                            \
  template StrongGraph<Exec::Space> make_strong_graph(Exec&, const linalg::CrsView<const double>&, const Strength&);   \
  template StrongGraph<Exec::Space> first_columns(Exec&, const StrongGraph<Exec::Space>&, Index)

}  // namespace tessera::solvers::amg
