#pragma once
#include "base/parallel.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

/// The entries of one row, ascending columns: pointers that live as long as the call that gets them.
template <class T>
struct RowEntries {
  const Index* col_ind;
  const T* values;
  Offset length;
};

/// Calls f(row, RowEntries<T>) for every row of A, whose pattern and values are read once. What f writes must depend on
/// its row alone. On CUDA (row_walk_cuda.cuh) a thread has a row whose entries its warp has brought to shared memory.
template <class T, class F>
void for_each_row(Threads& exec, const CrsView<const T>& A, F f) {
  for_each(exec, A.rows, [=](Offset row) {
    const Offset first = A.row_ptr[row];
    f(row, RowEntries<T>{A.col_ind.data() + first, A.values.data() + first, A.row_ptr[row + 1] - first});
  });
}

/// Calls f(row, k) for every place k of an entry. On CUDA neighbouring threads have neighbouring places of a row.
template <class T, class F>
void for_each_entry(Threads& exec, const CrsView<T>& A, F f) {
  for_each(exec, A.rows, [=](Offset row) {
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) f(row, k);
  });
}

}  // namespace tessera::linalg
