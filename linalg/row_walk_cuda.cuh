#pragma once
// The CUDA side of row_walk.hpp.
#include <algorithm>
#include <type_traits>

#include "linalg/row_walk.hpp"

namespace tessera::linalg {
namespace kernels {

inline constexpr int walk_block = 128;
/// Entries that a warp may hold: with double values four warps then take 48 KiB.
inline constexpr int walk_entries = 1024;
/// Rows of a warp: fewer of them where the GPU would not be full else.
inline int walk_rows_of_warp(Offset rows) {
  return rows >= 1 << 18 ? 32 : rows >= 1 << 15 ? 8 : rows >= 1 << 13 ? 2 : 1;
}

/// A warp has rows that stand one after the other: it copies as many of them as fit, then each lane has its own.
template <class T, class F>
__global__ void __launch_bounds__(walk_block) walk_rows(CrsView<const T> A, int of_warp, int capacity, F f) {
  extern __shared__ double walked[];
  constexpr int warps = walk_block / 32;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  T* values = reinterpret_cast<T*>(walked) + warp * capacity;
  Index* columns = reinterpret_cast<Index*>(reinterpret_cast<T*>(walked) + warps * capacity) + warp * capacity;
  const Offset row = (blockIdx.x * static_cast<Offset>(warps) + warp) * of_warp + lane, rows = A.rows;
  const Offset begin = __ldg(A.row_ptr.data() + min(row, rows)), end = __ldg(A.row_ptr.data() + min(row + 1, rows));
  bool waits = row < rows && lane < of_warp;
  while (const unsigned waiting = __ballot_sync(0xffffffffu, waits)) {
    const int leader = __ffs(static_cast<int>(waiting)) - 1;
    const Offset base = __shfl_sync(0xffffffffu, begin, leader);
    const bool fits = waits && end - base <= capacity;
    const unsigned now = __ballot_sync(0xffffffffu, fits);
    if (now == 0) {  // the row alone is too long
      if (lane == leader) {
        f(row, RowEntries<T>{A.col_ind.data() + begin, A.values.data() + begin, end - begin});
        waits = false;
      }
      continue;
    }
    const int count = static_cast<int>(__shfl_sync(0xffffffffu, end, 31 - __clz(static_cast<int>(now))) - base);
#pragma unroll 4
    for (int k = lane; k < count; k += 32) {
      columns[k] = __ldcs(A.col_ind.data() + base + k);
      values[k] = __ldcs(A.values.data() + base + k);
    }
    __syncwarp();
    if (fits) {
      f(row, RowEntries<T>{columns + (begin - base), values + (begin - base), end - begin});
      waits = false;
    }
    __syncwarp();
  }
}

template <int lanes, class T, class F>
__global__ void __launch_bounds__(walk_block) walk_places(CrsView<T> A, F f) {
  const Offset row = (blockIdx.x * static_cast<Offset>(walk_block) + threadIdx.x) / lanes;
  if (row >= A.rows) return;
  const Offset end = A.row_ptr[row + 1];
  for (Offset k = A.row_ptr[row] + threadIdx.x % lanes; k < end; k += lanes) f(row, k);
}

inline double mean_length(Index rows, Offset entries) { return rows == 0 ? 0 : static_cast<double>(entries) / rows; }
inline Offset walk_blocks(Offset threads) { return (threads + walk_block - 1) / walk_block; }

}  // namespace kernels

template <class T, class F>
void for_each_row(Cuda& exec, const CrsView<const T>& A, F f) {
  if (A.rows == 0) return;
  const int of_warp = kernels::walk_rows_of_warp(A.rows);
  // Rows that stand together are seldom a quarter longer than the mean; a single one may well be.
  const double expected = 1.25 * of_warp * kernels::mean_length(A.rows, A.values.size());
  const int capacity = of_warp < 8 ? kernels::walk_entries
                                   : std::clamp(static_cast<int>(expected) / 32 * 32 + 32, 128, kernels::walk_entries);
  constexpr int warps = kernels::walk_block / 32;
  const std::size_t bytes = static_cast<std::size_t>(warps * capacity) * (sizeof(T) + sizeof(Index));
  const Offset blocks = (A.rows + Offset{warps} * of_warp - 1) / (Offset{warps} * of_warp);
  kernels::walk_rows<T, F>
      <<<static_cast<unsigned>(blocks), kernels::walk_block, bytes, exec.stream()>>>(A, of_warp, capacity, f);
  TESSERA_CUDA_CHECK(cudaGetLastError());
}

template <class T, class F>
void for_each_entry(Cuda& exec, const CrsView<T>& A, F f) {
  const Offset rows = A.rows;
  if (kernels::mean_length(A.rows, A.col_ind.size()) <= 12)
    launch(exec, kernels::walk_places<8, T, F>, kernels::walk_blocks(8 * rows), kernels::walk_block, A, f);
  else
    launch(exec, kernels::walk_places<32, T, F>, kernels::walk_blocks(32 * rows), kernels::walk_block, A, f);
}

}  // namespace tessera::linalg
