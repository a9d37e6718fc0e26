#pragma once
// The kernel of plain, sliced and packed ELL: one thread a slot, so that a warp reads whole lines of columns and
// values.
#include "linalg/formats_cuda.cuh"

namespace tessera::linalg::detail {

/// Entries of a row that a thread has in flight, and resident blocks per multiprocessor of the kernels that also sum.
/// H200, November 2026, P1 tets with 16.8 M rows: sliced ELL 0.773 ms (4 resident blocks 0.816; 16 loads 0.862). Blocks
/// that stay and go through all slots gain 8 % where all slices are diagonals, but cost 40 % of packed ELL under a
/// shuffled numbering, where far blocks do not share x.
inline constexpr int ell_loads = 8;
inline constexpr int ell_resident = 5;

/// The sum of a row: entry k at k * step of `values` (streamed, read once), its column given by column(k), -1 for none.
/// Loads of `loads` entries are on their way together. The sum is double for float entries, too (spmv_cuda.cu says
/// why).
template <int loads, class T, class Column>
__device__ T sum_row(const T* values, Offset step, Index width, const T* x, Column column) {
  double sum = 0;
  for (Index k = 0; k < width; k += loads) {
    Index col[loads];
    T value[loads];
#pragma unroll
    for (int u = 0; u < loads; ++u) {
      const bool inside = k + u < width;
      col[u] = inside ? column(k + u) : -1;
      value[u] = inside ? __ldcs(values + (k + u) * step) : T{0};
    }
#pragma unroll
    for (int u = 0; u < loads; ++u) sum += static_cast<double>(value[u]) * (col[u] >= 0 ? __ldg(x + col[u]) : T{0});
  }
  return static_cast<T>(sum);
}

template <int loads, int resident, class A, class Use>
__global__ void __launch_bounds__(product_block, resident)
    rows_kernel(A a, const typename A::Scalar* x, Use use, ProductSum sum) {
  double total = 0;
  const Offset stride = static_cast<Offset>(gridDim.x) * product_block;
  for (Offset slot = blockIdx.x * static_cast<Offset>(product_block) + threadIdx.x; slot < a.slots(); slot += stride) {
    const auto ax = row_product<loads>(a, slot, x);
    const Index row = a.row(slot);
    if (row >= 0) total += use(row, ax);
  }
  if constexpr (Use::reduces) sum.finish(total);
}

template <class A, class Use>
void rows_product(Cuda& exec, const A& a, View<const typename A::Scalar> x, Use use, double* result) {
  const Offset tiles = (a.slots() + product_block - 1) / product_block;
  launch_product(exec, rows_kernel<ell_loads, ell_resident, A, Use>, tiles, ell_resident, false, result, use, a,
                 x.data());
}

}  // namespace tessera::linalg::detail
