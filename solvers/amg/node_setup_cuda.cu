#include "solvers/amg/node_setup_impl.hpp"

namespace tessera::solvers::amg {

/// A thread for each number of C: it looks for the blocks of B that meet A's in its column. Neighbours of a block look
/// for the same ones, so that searches and loads are shared; nothing is added to by two threads.
template <class Exec, class TA, class TB>
void multiply_values(Exec& exec, const NodeMatrixView<const TA>& A, const NodeMatrixView<const TB>& B,
                     NodeMatrixView<double> C) {
  const int h = A.height, n = A.width, w = B.width;
  Array<Index, typename Exec::Space> rows(C.col_ind.size());  // of the blocks
  const View<Index> row_of = rows;
  for_each(exec, C.rows, [=] TESSERA_HD(Offset row) {
    for (Offset k = C.row_ptr[row]; k < C.row_ptr[row + 1]; ++k) row_of[k] = static_cast<Index>(row);
  });
  for_each(exec, C.values.size(), [=] TESSERA_HD(Offset number) {
    const Offset block = number / (h * w);
    const int i = static_cast<int>(number % (h * w)) / w, j = static_cast<int>(number % w);
    const Index row = row_of[block], column = C.col_ind[block];
    double sum = 0;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      const Index between = A.col_ind[k];
      Offset first = B.row_ptr[between], last = B.row_ptr[between + 1];
      while (last - first > 4) {
        const Offset middle = (first + last) / 2;
        if (B.col_ind[middle] <= column)
          first = middle;
        else
          last = middle;
      }
      while (first < last && B.col_ind[first] != column) ++first;
      if (first == last) continue;
      const TA* a = A.values.data() + (k * h + i) * n;
      const TB* b = B.values.data() + first * n * w + j;
      for (int e = 0; e < n; ++e) sum += static_cast<double>(a[e]) * static_cast<double>(b[e * w]);
    }
    C.values[number] = sum;
  });
}

TESSERA_INSTANTIATE_NODE_SETUP(Cuda);
TESSERA_INSTANTIATE_NODE_MULTIPLIES(Cuda);

}  // namespace tessera::solvers::amg
