#pragma once
// Products of the cycle with blocks on threads.
#include "base/parallel.hpp"
#include "linalg/prefetch.hpp"
#include "solvers/amg/node_matrix.hpp"

namespace tessera::solvers::amg {

/// sums [h] of a row of blocks. Each place of a block has a sum of its own until the end, so that none waits for
/// another.
template <int h, int w, class V>
__attribute__((noinline)) void sum_blocks(const NodeMatrixView<const V>& A, Offset node, const V* __restrict__ x,
                                          V* __restrict__ sums) {
  const Offset first = A.row_ptr[node], blocks = A.row_ptr[node + 1] - first;
  const Index* __restrict__ col_ind = A.col_ind.data() + first;
  const V* __restrict__ values = A.values.data() + first * A.numbers();
  linalg::detail::prefetch(col_ind, blocks);
  linalg::detail::prefetch(values, blocks * A.numbers());
  if constexpr (h > 0) {
    V parts[h * w] = {};
    for (Offset k = 0; k < blocks; ++k, values += h * w) {
      const V* from = x + Offset{col_ind[k]} * w;
      for (int i = 0; i < h; ++i)
        for (int j = 0; j < w; ++j) parts[i * w + j] += values[i * w + j] * from[j];
    }
    for (int i = 0; i < h; ++i) {
      sums[i] = 0;
      for (int j = 0; j < w; ++j) sums[i] += parts[i * w + j];
    }
  } else {
    for (int i = 0; i < A.height; ++i) sums[i] = 0;
    for (Offset k = 0; k < blocks; ++k, values += A.numbers()) {
      const V* from = x + Offset{col_ind[k]} * A.width;
      for (int i = 0; i < A.height; ++i)
        for (int j = 0; j < A.width; ++j) sums[i] += values[i * A.width + j] * from[j];
    }
  }
}

template <int h, int w, class V, class Use>
void node_product(Threads& exec, const NodeMatrixView<const V>& A, View<const V> x, std::integral_constant<int, h>,
                  std::integral_constant<int, w>, Use use) {
  for_each(exec, A.rows, [=](Offset node) {
    V sums[h > 0 ? h : most_unknowns];
    sum_blocks<h, w>(A, node, x.data(), sums);
    for (int i = 0; i < (h > 0 ? h : A.height); ++i) use(node, i, sums);
  });
}

}  // namespace tessera::solvers::amg
