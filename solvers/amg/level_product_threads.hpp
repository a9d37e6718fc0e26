#pragma once
// Products of the cycle on threads.
#include "base/parallel.hpp"
#include "linalg/prefetch.hpp"
#include "solvers/amg/level_matrix.hpp"

namespace tessera::solvers::amg {

/// Calls use(row, (A x)_row) for every row. A is in slices of one row.
template <class V, class Use>
void level_product(Threads& exec, const LevelMatrixView<V>& A, View<const V> x, Use use) {
  const Offset* starts = A.starts.data();
  const Index* __restrict__ col_ind = A.col_ind.data();
  const V* __restrict__ values = A.values.data();
  const V* __restrict__ from = x.data();
  for_each(exec, A.rows, [=](Offset row) {
    Offset k = starts[row];
    const Offset last = starts[row + 1];
    linalg::detail::prefetch(col_ind + k, last - k);
    linalg::detail::prefetch(values + k, last - k);
    V even = 0, odd = 0;
    for (; k + 1 < last; k += 2) {
      even += values[k] * from[col_ind[k]];
      odd += values[k + 1] * from[col_ind[k + 1]];
    }
    if (k < last) even += values[k] * from[col_ind[k]];
    use(row, even + odd);
  });
}

}  // namespace tessera::solvers::amg
