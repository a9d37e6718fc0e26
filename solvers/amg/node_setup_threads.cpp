#include <algorithm>

#include "base/team.hpp"
#include "solvers/amg/node_setup_impl.hpp"

namespace tessera::solvers::amg {
namespace {

/// Rows that a thread takes at a time.
constexpr Offset row_chunk = 64;

/// C [h, w] += A [h, n] B [n, w]; constants of 0: read at run time.
template <int h, int n, int w, class TA, class TB>
void add_product(int height, int inner, int width, const TA* __restrict__ A, const TB* __restrict__ B,
                 double* __restrict__ C) {
  const int rows = h > 0 ? h : height, between = n > 0 ? n : inner, columns = w > 0 ? w : width;
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < between; ++k) {
      const double a = static_cast<double>(A[i * between + k]);
      for (int j = 0; j < columns; ++j) C[i * columns + j] += a * static_cast<double>(B[k * columns + j]);
    }
}

/// A row of C: where its columns stand in it is looked up in `place` [cols].
template <int h, int n, int w, class TA, class TB>
void multiply_row(const NodeMatrixView<const TA>& A, const NodeMatrixView<const TB>& B, NodeMatrixView<double> C,
                  Offset row, Index* place) {
  const Offset begin = C.row_ptr[row], end = C.row_ptr[row + 1];
  for (Offset k = begin; k < end; ++k) place[C.col_ind[k]] = static_cast<Index>(k - begin);
  double* sums = C.values.data() + begin * C.numbers();
  std::fill(sums, sums + (end - begin) * C.numbers(), 0.0);
  for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
    const Index between = A.col_ind[k];
    for (Offset e = B.row_ptr[between]; e < B.row_ptr[between + 1]; ++e)
      add_product<h, n, w>(A.height, A.width, B.width, A.values.data() + k * A.numbers(),
                           B.values.data() + e * B.numbers(), sums + place[B.col_ind[e]] * C.numbers());
  }
}

}  // namespace

void orthonormalise_rows(Threads& exec, View<const Offset> starts, View<const Index> nodes, int height, int modes,
                         View<double> kernel, View<double> factors) {
  for_each(exec, starts.size() - 1, [=](Offset a) {
    const detail::Rows rows{nodes.data() + starts[a], starts[a + 1] - starts[a], height, modes, kernel.data(),
                            detail::Alone{}};
    detail::orthonormalise(rows, factors.data() + a * modes * modes);
  });
}

template <class Exec, class TA, class TB>
void multiply_values(Exec& exec, const NodeMatrixView<const TA>& A, const NodeMatrixView<const TB>& B,
                     NodeMatrixView<double> C) {
  Scratch<Array<Index>> scratch(exec.count());
  with_node_shape(A.height, B.width, [&](auto h, auto w) {
    constexpr int rows = decltype(h)::value, columns = decltype(w)::value;
    // The middle is the coarser of both in R (A P), the finer in A P: one of the two.
    const auto run = [&](auto n) {
      parallel_chunks(exec.count(), A.rows, row_chunk, [&](Offset first, Offset last, int part) {
        Index* place = scratch.of(part, B.cols).data();
        for (Offset row = first; row < last; ++row)
          multiply_row<rows, decltype(n)::value, columns>(A, B, C, row, place);
      });
    };
    if (A.width == 3)
      run(std::integral_constant<int, 3>{});
    else if (A.width == 6)
      run(std::integral_constant<int, 6>{});
    else if (A.width == 2)
      run(std::integral_constant<int, 2>{});
    else
      run(std::integral_constant<int, 0>{});
  });
}

TESSERA_INSTANTIATE_NODE_SETUP(Threads);
TESSERA_INSTANTIATE_NODE_MULTIPLIES(Threads);

}  // namespace tessera::solvers::amg
