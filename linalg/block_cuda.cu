#include "linalg/block_impl.hpp"
#include "linalg/formats_cuda.cuh"

namespace tessera::linalg {
namespace {

/// Lanes that share a block row of BlockCrs, by the size of blocks, and passes that a lane has in flight. A group of
/// lanes reads whole blocks side by side: of a warp 27 lanes three blocks of 3 x 3 at a time, 16 lanes four of 2 x 2.
template <int block>
constexpr int lanes_of_row = block == 3   ? 32
                             : block == 2 ? 16
                                          : 8;
constexpr int passes_in_flight = 4;
/// Blocks that a thread of BlockSlicedEll has in flight: about 16 values.
template <int block>
constexpr int blocks_in_flight = block == 3   ? 2
                                 : block == 2 ? 4
                                              : 8;
/// Resident blocks of threads a multiprocessor of the kernels that also sum.
constexpr int block_resident = 4;

/// Each lane stays at one place (i, j) of the blocks, so that it needs one sum and its entries of x are those of one j;
/// lanes of a row of the block are added at the end. Sums are double for float entries, too (spmv_cuda.cu says why).
template <int block, class T, class Use>
__global__ void __launch_bounds__(detail::product_block, block_resident)
    block_crs_kernel(BlockCrsView<const T> a, const T* x, Use use, detail::ProductSum total_sum) {
  constexpr int lanes = lanes_of_row<block>, numbers = block * block, together = lanes / numbers;
  constexpr int rows_per_warp = 32 / lanes;
  const int lane = threadIdx.x % lanes, of_group = lane / numbers, place = lane % numbers;
  const int i = place / block, j = place % block;
  const bool reads = of_group < together;
  const Offset block_rows = a.block_rows(), stride = static_cast<Offset>(gridDim.x) * (detail::product_block / lanes);
  const Offset warp = (blockIdx.x * static_cast<Offset>(detail::product_block) + threadIdx.x) / 32;
  double total = 0;
  for (Offset base = warp * rows_per_warp; base < block_rows; base += stride) {  // whole warps stay together
    const Offset row = base + threadIdx.x % 32 / lanes;
    const bool valid = row < block_rows;
    const Offset first = valid ? __ldg(a.row_ptr.data() + row) : 0;
    const int blocks = valid && reads ? static_cast<int>(__ldg(a.row_ptr.data() + row + 1) - first) : 0;
    const Index* col_ind = a.col_ind.data() + first;
    const T* values = a.values.data() + first * numbers + place;
    double sum = 0;
    for (int k = of_group; k < blocks; k += together * passes_in_flight) {
      Index col[passes_in_flight];
      T value[passes_in_flight];
#pragma unroll
      for (int u = 0; u < passes_in_flight; ++u) {
        const int at = k + u * together;
        col[u] = at < blocks ? __ldg(col_ind + at) : -1;
        value[u] = at < blocks ? __ldcs(values + at * numbers) : T{0};
      }
#pragma unroll
      for (int u = 0; u < passes_in_flight; ++u)
        sum += static_cast<double>(value[u]) * (col[u] >= 0 ? __ldg(x + Offset{col[u]} * block + j) : T{0});
    }
    // The blocks of a group, then the columns of a block.
    double of_place = sum;
#pragma unroll
    for (int g = 1; g < together; ++g) of_place += __shfl_down_sync(0xffffffffu, sum, g * numbers, lanes);
    double of_row = of_place;
#pragma unroll
    for (int c = 1; c < block; ++c) of_row += __shfl_down_sync(0xffffffffu, of_place, c, lanes);
    if (valid && of_group == 0 && j == 0) total += use(row * block + i, static_cast<T>(of_row));
  }
  if constexpr (Use::reduces) total_sum.finish(total);
}

/// Blocks of any size: a warp a block row, whose lanes read row after row of its blocks.
template <class T, class Use>
__global__ void __launch_bounds__(detail::product_block, block_resident)
    any_block_crs_kernel(BlockCrsView<const T> a, const T* x, Use use, detail::ProductSum total_sum) {
  const int lane = threadIdx.x % 32, block = a.block;
  const Offset block_rows = a.block_rows(), stride = static_cast<Offset>(gridDim.x) * (detail::product_block / 32);
  double total = 0;
  for (Offset row = (blockIdx.x * static_cast<Offset>(detail::product_block) + threadIdx.x) / 32; row < block_rows;
       row += stride) {
    const Offset first = __ldg(a.row_ptr.data() + row), numbers = (__ldg(a.row_ptr.data() + row + 1) - first) * block;
    for (int i = 0; i < block; ++i) {
      double sum = 0;
      for (Offset n = lane; n < numbers; n += 32) {
        const Offset k = first + n / block;
        const int j = static_cast<int>(n % block);
        sum += static_cast<double>(__ldcs(a.values.data() + (k * block + i) * block + j)) *
               __ldg(x + Offset{__ldg(a.col_ind.data() + k)} * block + j);
      }
#pragma unroll
      for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
      if (lane == 0) total += use(row * block + i, static_cast<T>(sum));
    }
  }
  if constexpr (Use::reduces) total_sum.finish(total);
}

/// A thread a block row: a warp reads whole lines of values, and an entry of x serves the column of a block.
template <int block, class T, class Use>
__global__ void __launch_bounds__(detail::product_block, block_resident)
    block_sliced_ell_kernel(BlockSlicedEllView<T> a, const T* x, Use use, detail::ProductSum total_sum) {
  constexpr int numbers = block * block, loads = blocks_in_flight<block>;
  const Offset stride = static_cast<Offset>(gridDim.x) * detail::product_block;
  double total = 0;
  for (Offset slot = blockIdx.x * static_cast<Offset>(detail::product_block) + threadIdx.x; slot < a.block_slots();
       slot += stride) {
    const Offset* slice = a.slice_ptr.data() + slot / slice_height;
    const Offset begin = __ldg(slice);
    const auto width = static_cast<Index>((__ldg(slice + 1) - begin) / slice_height);
    const Index* col_ind = a.col_ind.data() + begin + slot % slice_height;
    const T* values = a.values.data() + begin * numbers + slot % slice_height;
    double sums[block] = {};
    for (Index k = 0; k < width; k += loads) {
      Index col[loads];
      T value[loads][numbers];
#pragma unroll
      for (int u = 0; u < loads; ++u) {
        const bool inside = k + u < width;
        col[u] = inside ? __ldcs(col_ind + Offset{k + u} * slice_height) : -1;
#pragma unroll
        for (int e = 0; e < numbers; ++e)
          value[u][e] = inside ? __ldcs(values + (Offset{k + u} * numbers + e) * slice_height) : T{0};
      }
#pragma unroll
      for (int u = 0; u < loads; ++u)
#pragma unroll
        for (int j = 0; j < block; ++j) {
          const double at = col[u] >= 0 ? __ldg(x + Offset{col[u]} * block + j) : T{0};
#pragma unroll
          for (int i = 0; i < block; ++i) sums[i] += static_cast<double>(value[u][i * block + j]) * at;
        }
    }
    const Index row = a.block_row(slot);
    if (row >= 0)
      for (int i = 0; i < block; ++i) total += use(Offset{row} * block + i, static_cast<T>(sums[i]));
  }
  if constexpr (Use::reduces) total_sum.finish(total);
}

/// Blocks of any size: a thread goes through its blocks once for each of its rows.
template <class T, class Use>
__global__ void __launch_bounds__(detail::product_block, block_resident)
    any_block_sliced_ell_kernel(BlockSlicedEllView<T> a, const T* x, Use use, detail::ProductSum total_sum) {
  const int block = a.block;
  const Offset stride = static_cast<Offset>(gridDim.x) * detail::product_block;
  double total = 0;
  for (Offset slot = blockIdx.x * static_cast<Offset>(detail::product_block) + threadIdx.x; slot < a.block_slots();
       slot += stride) {
    const Index row = a.block_row(slot), width = a.width(slot);
    if (row < 0) continue;
    for (int i = 0; i < block; ++i) {
      double sum = 0;
      for (Index k = 0; k < width; ++k) {
        const Index col = a.column(slot, k);
        if (col < 0) break;
        const T* values = a.values.data() + a.place(slot, k) + Offset{i} * block * slice_height;
        for (int j = 0; j < block; ++j)
          sum += static_cast<double>(__ldcs(values + Offset{j} * slice_height)) * __ldg(x + Offset{col} * block + j);
      }
      total += use(Offset{row} * block + i, static_cast<T>(sum));
    }
  }
  if constexpr (Use::reduces) total_sum.finish(total);
}

Offset tiles_of(Offset threads) { return (threads + detail::product_block - 1) / detail::product_block; }

}  // namespace

template <class T, class Use>
void product(Cuda& exec, const BlockCrsView<const T>& a, View<const T> x, Use use, double* result) {
  with_block_size(a.block, [&](auto size) {
    constexpr int block = decltype(size)::value;
    if constexpr (block > 0)
      detail::launch_product(exec, block_crs_kernel<block, T, Use>,
                             tiles_of(Offset{a.block_rows()} * lanes_of_row<block>), block_resident, false, result, use,
                             a, x.data());
    else
      detail::launch_product(exec, any_block_crs_kernel<T, Use>, tiles_of(Offset{a.block_rows()} * 32), block_resident,
                             false, result, use, a, x.data());
  });
}

template <class T, class Use>
void product(Cuda& exec, const BlockSlicedEllView<T>& a, View<const T> x, Use use, double* result) {
  with_block_size(a.block, [&](auto size) {
    constexpr int block = decltype(size)::value;
    if constexpr (block > 0)
      detail::launch_product(exec, block_sliced_ell_kernel<block, T, Use>, tiles_of(a.block_slots()), block_resident,
                             false, result, use, a, x.data());
    else
      detail::launch_product(exec, any_block_sliced_ell_kernel<T, Use>, tiles_of(a.block_slots()), block_resident,
                             false, result, use, a, x.data());
  });
}

TESSERA_INSTANTIATE_BLOCKS(Cuda, double);
TESSERA_INSTANTIATE_BLOCKS(Cuda, float);

}  // namespace tessera::linalg
