#pragma once
// Bodies of level_matrix.hpp, written once; instantiated by cycle_threads.cpp and cycle_cuda.cu.
#include "base/parallel.hpp"
#include "linalg/convert.hpp"
#include "solvers/amg/level_matrix.hpp"

namespace tessera::solvers::amg {

template <class Exec, class V>
void refill_level_matrix(Exec& exec, const linalg::CrsView<const double>& A, double scale,
                         LevelMatrix<typename Exec::Space, V>& to) {
  const View<V> values = to.values;
  if (to.slice == 1) {
    for_each(exec, values.size(), [=] TESSERA_HD(Offset k) { values[k] = static_cast<V>(scale * A.values[k]); });
    return;
  }
  const LevelMatrixView<V> places = to.view();
  for_each(exec, places.rows, [=] TESSERA_HD(Offset row) {
    Offset place = places.first(row);
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k, place += places.slice)
      values[place] = static_cast<V>(scale * A.values[k]);
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
  for_each(exec, slices * slice, [=] TESSERA_HD(Offset row) {
    Offset place = starts[row / slice] + row % slice;
    const Offset end = starts[row / slice + 1];
    if (row < A.rows) {
      for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k, place += slice) {
        col_ind[place] = A.col_ind[k];
        values[place] = static_cast<V>(scale * A.values[k]);
      }
    }
    for (; place < end; place += slice) {
      col_ind[place] = -1;
      values[place] = 0;
    }
  });
  return result;
}

}  // namespace tessera::solvers::amg
