#pragma once
// Bodies of level_matrix.hpp, written once; instantiated by cycle_threads.cpp and cycle_cuda.cu.
#include "linalg/convert.hpp"
#include "linalg/row_walk.hpp"
#include "solvers/amg/level_matrix.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// The rest of a row in a slice holds nothing.
template <class V>
TESSERA_HD void fill_up(Offset place, Offset end, const View<Index>& col_ind, const View<V>& values) {
  for (; place < end; place += linalg::slice_height) {
    col_ind[place] = -1;
    values[place] = 0;
  }
}

}  // namespace detail

template <class Exec, class V>
void refill_level_matrix(Exec& exec, const linalg::CrsView<const double>& A, double scale,
                         LevelMatrix<typename Exec::Space, V>& to) {
  const View<V> values = to.values;
  if (to.slice == 1) {
    for_each(exec, values.size(), [=] TESSERA_HD(Offset k) { values[k] = static_cast<V>(scale * A.values[k]); });
    return;
  }
  const LevelMatrixView<V> places = to.view();
  for_each_row(exec, A, [=] TESSERA_HD(Offset row, const linalg::RowEntries<double>& entries) {
    Offset place = places.first(row);
    for (Offset k = 0; k < entries.length; ++k, place += places.slice)
      values[place] = static_cast<V>(scale * entries.values[k]);
  });
}

template <class Exec, class V>
LevelMatrix<typename Exec::Space, V> make_level_matrix(Exec& exec, const linalg::CrsView<const double>& A,
                                                       double scale) {
  using Space = typename Exec::Space;
  LevelMatrix<Space, V> result;
  result.rows = A.rows;
  result.cols = A.cols;
  if (std::is_same_v<Exec, Threads> || A.rows < sliced_rows) {
    result.starts = A.row_ptr;
    result.col_ind = A.col_ind;
    result.values = Array<V, Space>(A.values.size());
    refill_level_matrix(exec, A, scale, result);
    return result;
  }
  constexpr Index slice = linalg::slice_height;
  result.slice = slice;
  const Offset slices = linalg::slices_of(A.rows);
  result.own_starts = Array<Offset, Space>(slices + 1);
  const View<Offset> starts = result.own_starts;
  const View<const Offset> row_ptr = A.row_ptr;
  for_each(exec, slices + 1,
           [=] TESSERA_HD(Offset i) { starts[i] = Offset{linalg::longest_of_slice(row_ptr, {}, i)} * slice; });
  const Offset entries = linalg::counts_to_offsets(exec, starts);
  result.own_col_ind = Array<Index, Space>(entries);
  result.values = Array<V, Space>(entries);
  result.starts = starts;
  result.col_ind = result.own_col_ind;
  const View<Index> col_ind = result.own_col_ind;
  const View<V> values = result.values;
  for_each_row(exec, A, [=] TESSERA_HD(Offset row, const linalg::RowEntries<double>& entries) {
    Offset place = starts[row / slice] + row % slice;
    for (Offset k = 0; k < entries.length; ++k, place += slice) {
      col_ind[place] = entries.col_ind[k];
      values[place] = static_cast<V>(scale * entries.values[k]);
    }
    detail::fill_up(place, starts[row / slice + 1], col_ind, values);
  });
  const Index rows = A.rows;
  for_each(exec, slices * slice - rows, [=] TESSERA_HD(Offset k) {
    detail::fill_up(starts[slices - 1] + (rows + k) % slice, starts[slices], col_ind, values);
  });
  return result;
}

}  // namespace tessera::solvers::amg
