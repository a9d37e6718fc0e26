#pragma once
#include "base/lower_bound.hpp"
#include "base/parallel.hpp"
#include "linalg/discrete_upwinding.hpp"

namespace tessera::linalg {

/// Place of entry (row, col); -1 where the pattern does not have it. Columns ascend.
TESSERA_HD inline Offset find_entry(const CrsView<double>& A, Index row, Index col) {
  const Offset first = lower_bound(A.col_ind.data(), A.row_ptr[row], A.row_ptr[row + 1], col);
  return first < A.row_ptr[row + 1] && A.col_ind[first] == col ? first : -1;
}

template <class Exec>
void add_discrete_upwinding(Exec& exec, Crs<typename Exec::Space>& A) {
  Array<double, typename Exec::Space> diffusion(A.nnz());
  const CrsView<double> a = A.view();
  const View<double> d = diffusion.view();
  // Both a_ij and a_ji are read, so that D is whole before A changes.
  for_each(exec, A.rows, [=] TESSERA_HD(Offset i) {
    const auto row = static_cast<Index>(i);
    for (Offset k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
      const Offset transposed = find_entry(a, a.col_ind[k], row);
      const double back = transposed < 0 ? 0 : a.values[transposed];
      const double most = a.values[k] > back ? a.values[k] : back;
      d[k] = a.col_ind[k] != row && most > 0 ? -most : 0;
    }
  });
  for_each(exec, A.rows, [=] TESSERA_HD(Offset row) {
    double sum = 0;
    Offset diagonal = a.row_ptr[row];
    for (Offset k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
      if (a.col_ind[k] == row) diagonal = k;
      sum -= d[k];
      a.values[k] += d[k];
    }
    if (a.row_ptr[row] < a.row_ptr[row + 1]) a.values[diagonal] += sum;
  });
  exec.synchronize();  // the scratch is released here
}

}  // namespace tessera::linalg
