#pragma once
// Products of the cycle with blocks on CUDA.
#include "base/parallel.hpp"
#include "solvers/amg/node_matrix.hpp"

namespace tessera::solvers::amg {

inline constexpr int node_block = 256;
/// Columns of a row of blocks that a lane has in flight.
inline constexpr int node_loads = 2;

/// A warp a node, whose lanes take the columns of its blocks: one entry of x serves all rows of a block. All lanes then
/// have the sums, and the first of them use a row each. Sums are double, as those of linalg are.
template <int h, int w, class V, class Use>
__global__ void __launch_bounds__(node_block) node_kernel(NodeMatrixView<const V> A, const V* __restrict__ x, Use use) {
  constexpr int most = h > 0 ? h : most_unknowns;
  const int height = h > 0 ? h : A.height, width = w > 0 ? w : A.width, lane = threadIdx.x % 32;
  const Offset node = (blockIdx.x * static_cast<Offset>(node_block) + threadIdx.x) / 32;
  if (node >= A.rows) return;  // whole warps
  const Offset first = __ldg(A.row_ptr.data() + node);
  const int columns = static_cast<int>(__ldg(A.row_ptr.data() + node + 1) - first) * width;
  const Index* col_ind = A.col_ind.data() + first;
  const V* values = A.values.data() + first * height * width;
  double sums[most] = {};
  for (int n = lane; n < columns; n += 32 * node_loads) {
    V from[node_loads], value[node_loads][most];
#pragma unroll
    for (int u = 0; u < node_loads; ++u) {
      const int at = n + 32 * u, k = at / width, j = at % width;
      const bool inside = at < columns;
      from[u] = inside ? __ldg(x + Offset{__ldg(col_ind + k)} * width + j) : V{0};
#pragma unroll
      for (int i = 0; i < most; ++i)
        value[u][i] = inside && i < height ? __ldg(values + (Offset{k} * height + i) * width + j) : V{0};
    }
#pragma unroll
    for (int u = 0; u < node_loads; ++u)
#pragma unroll
      for (int i = 0; i < most; ++i) sums[i] += static_cast<double>(value[u][i]) * from[u];
  }
  V found[most];
#pragma unroll
  for (int i = 0; i < most; ++i) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) sums[i] += __shfl_xor_sync(0xffffffffu, sums[i], step);
    found[i] = static_cast<V>(sums[i]);
  }
  if (lane < height) use(node, lane, found);
}

template <int h, int w, class V, class Use>
void node_product(Cuda& exec, const NodeMatrixView<const V>& A, View<const V> x, std::integral_constant<int, h>,
                  std::integral_constant<int, w>, Use use) {
  constexpr Offset nodes_per_block = node_block / 32;
  launch(exec, node_kernel<h, w, V, Use>, (A.rows + nodes_per_block - 1) / nodes_per_block, node_block, A, x.data(),
         use);
}

}  // namespace tessera::solvers::amg
