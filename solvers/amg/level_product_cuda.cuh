#pragma once
// Products of the cycle on CUDA.
#include "base/parallel.hpp"
#include "solvers/amg/level_matrix.hpp"

namespace tessera::solvers::amg {

inline constexpr int level_block = 256;
/// Entries of a row that a thread has in flight, as in linalg/ell_kernel.cuh.
inline constexpr int level_loads = 8;
/// And each of several lanes that share a row, as in linalg/spmv_cuda.cu.
inline constexpr int lane_loads = 4;

/// A thread a row, so that a warp reads a slice column by column. Sums are double, as those of linalg are.
template <class V, class Use>
__global__ void __launch_bounds__(level_block) slice_kernel(LevelMatrixView<V> A, const V* __restrict__ x, Use use) {
  const Offset row = blockIdx.x * static_cast<Offset>(level_block) + threadIdx.x;
  if (row >= A.rows) return;
  const Offset* slice = A.starts.data() + row / 32;
  const Offset begin = __ldg(slice);
  const int width = static_cast<int>((__ldg(slice + 1) - begin) / 32);
  const Index* col_ind = A.col_ind.data() + begin + row % 32;
  const V* values = A.values.data() + begin + row % 32;
  double sum = 0;
  for (int k = 0; k < width; k += level_loads) {
    Index col[level_loads];
    V value[level_loads];
#pragma unroll
    for (int u = 0; u < level_loads; ++u) {
      const bool inside = k + u < width;
      col[u] = inside ? __ldcs(col_ind + (k + u) * 32) : -1;
      value[u] = inside ? __ldcs(values + (k + u) * 32) : V{0};
    }
#pragma unroll
    for (int u = 0; u < level_loads; ++u)
      sum += static_cast<double>(value[u]) * (col[u] >= 0 ? __ldg(x + col[u]) : V{0});
  }
  use(row, static_cast<V>(sum));
}

/// `lanes` neighbouring threads share a row.
template <int lanes, class V, class Use>
__global__ void __launch_bounds__(level_block) row_kernel(LevelMatrixView<V> A, const V* __restrict__ x, Use use) {
  const int lane = threadIdx.x % lanes;
  const Offset row = (blockIdx.x * static_cast<Offset>(level_block) + threadIdx.x) / lanes;
  const bool valid = row < A.rows;  // whole warps stay together
  const Offset first = valid ? __ldg(A.starts.data() + row) : 0;
  const int length = valid ? static_cast<int>(__ldg(A.starts.data() + row + 1) - first) : 0;
  const Index* col_ind = A.col_ind.data() + first;
  const V* values = A.values.data() + first;
  double sum = 0;
  for (int k = lane; k < length; k += lanes * lane_loads) {
    Index col[lane_loads];
    V value[lane_loads];
#pragma unroll
    for (int u = 0; u < lane_loads; ++u) {
      const bool inside = k + u * lanes < length;
      col[u] = inside ? __ldcs(col_ind + k + u * lanes) : -1;
      value[u] = inside ? __ldcs(values + k + u * lanes) : V{0};
    }
#pragma unroll
    for (int u = 0; u < lane_loads; ++u)
      sum += static_cast<double>(value[u]) * (col[u] >= 0 ? __ldg(x + col[u]) : V{0});
  }
#pragma unroll
  for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
  if (valid && lane == 0) use(row, static_cast<V>(sum));
}

template <int lanes, class V, class Use>
void launch_rows(Cuda& exec, const LevelMatrixView<V>& A, View<const V> x, Use use) {
  constexpr Offset rows_per_block = level_block / lanes;
  launch(exec, row_kernel<lanes, V, Use>, (A.rows + rows_per_block - 1) / rows_per_block, level_block, A, x.data(),
         use);
}

/// Calls use(row, (A x)_row) for every row.
template <class V, class Use>
void level_product(Cuda& exec, const LevelMatrixView<V>& A, View<const V> x, Use use) {
  if (A.slice > 1)
    return launch(exec, slice_kernel<V, Use>, (Offset{A.rows} + level_block - 1) / level_block, level_block, A,
                  x.data(), use);
  const double mean = A.rows == 0 ? 0 : static_cast<double>(A.col_ind.size()) / A.rows;
  if (mean <= 9)
    launch_rows<2>(exec, A, x, use);
  else if (mean <= 20)
    launch_rows<4>(exec, A, x, use);
  else if (mean <= 48)
    launch_rows<8>(exec, A, x, use);
  else if (mean <= 96)
    launch_rows<16>(exec, A, x, use);
  else
    launch_rows<32>(exec, A, x, use);
}

}  // namespace tessera::solvers::amg
