#pragma once
// The kernel of CMRS.
#include "linalg/cmrs.hpp"
#include "linalg/formats_cuda.cuh"

namespace tessera::linalg::detail {

/// Chunks that a warp has in flight, and resident blocks per multiprocessor, which go through all strips. H200,
/// November 2026, P1 tets with 16.8 M rows, M = 2: 0.896 ms (a strip a warp 0.957; 5 blocks 0.957; 8 chunks 1.12; M = 4
/// 0.934, M = 8 0.992).
inline constexpr int cmrs_loads = 4;
inline constexpr int cmrs_resident = 6;
inline constexpr int most_buffers = 8;

/// One warp a strip. Sum (row, m) of a strip stands at row * M + m; lane l adds to m = l % M, so the neighbouring
/// entries of a row go to different sums in neighbouring banks.
template <int loads, int resident, class T, class Use>
__global__ void __launch_bounds__(product_block, resident)
    cmrs_kernel(CmrsView<T> a, const T* x, Use use, ProductSum sum) {
  constexpr int warps = product_block / 32;
  __shared__ T shared[warps][strip_height * most_buffers];
  T* sums = shared[threadIdx.x / 32];
  const int lane = threadIdx.x % 32, buffer = lane & (a.buffers - 1);
  const Offset stride = static_cast<Offset>(gridDim.x) * warps, strips = a.strips();
  double total = 0;
  for (Offset strip = blockIdx.x * static_cast<Offset>(warps) + threadIdx.x / 32; strip < strips; strip += stride) {
    for (int m = 0; m < a.buffers / 2; ++m) sums[lane + 32 * m] = 0;
    __syncwarp();
    const Offset first = __ldg(a.strip_ptr.data() + strip);
    const int length = static_cast<int>(__ldg(a.strip_ptr.data() + strip + 1) - first);
    const unsigned* codes = a.code.data() + first;
    const T* values = a.values.data() + first;
    for (int chunk = 0; chunk < length; chunk += loads * strip_chunk) {
      unsigned code[loads];
      T value[loads];
#pragma unroll
      for (int u = 0; u < loads; ++u) {
        const int place = chunk + u * strip_chunk + lane;
        code[u] = place < length ? __ldcs(codes + place) : a.padding;
        value[u] = place < length ? __ldcs(values + place) : T{0};
      }
      int row[loads];
#pragma unroll
      for (int u = 0; u < loads; ++u) {
        if (code[u] == a.padding) continue;
        const int place = chunk + u * strip_chunk + lane;
        row[u] = a.packed() ? static_cast<int>(code[u] & 15u) : __ldcs(a.row_in_strip.data() + first + place);
        value[u] *= __ldg(x + (a.packed() ? code[u] >> 4 : code[u]));
      }
#pragma unroll
      for (int u = 0; u < loads; ++u) {  // lanes of a chunk never share a sum; chunks follow each other
        if (code[u] != a.padding) sums[row[u] * a.buffers + buffer] += value[u];
        __syncwarp();
      }
    }
    // Row r = lane / 2: each lane adds one half of its M sums.
    T half = 0;
    for (int m = 0; m < a.buffers / 2; ++m) half += sums[lane * (a.buffers / 2) + m];
    half += __shfl_xor_sync(0xffffffffu, half, 1);
    const Offset row = strip * strip_height + lane / 2;
    if (lane % 2 == 0 && row < a.rows) total += use(row, half);
    __syncwarp();
  }
  if constexpr (Use::reduces) sum.finish(total);
}

}  // namespace tessera::linalg::detail
