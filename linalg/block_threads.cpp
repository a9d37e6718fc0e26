#include "linalg/block_impl.hpp"
#include "linalg/formats_threads.hpp"
#include "linalg/prefetch.hpp"

namespace tessera::linalg {
namespace {

/// Block rows a chunk, so that the partial sums of a fused dot do not depend on the thread count.
constexpr Offset block_row_chunk = 256;
/// Slices a chunk: 256 block rows.
constexpr Offset slice_chunk = 8;

/// The sums of a block row: sums[i] = sum_k sum_j values[k][i][j] x[col_k][j]. Each place in a block has a sum of its
/// own until the end, so that the numbers of a block are one run of vectors and no sum waits for another.
template <int block, class T>
inline void block_row_sums(const Index* __restrict__ col_ind, const T* __restrict__ values, const T* __restrict__ x,
                           Offset blocks, T* __restrict__ sums) {
  T parts[block * block] = {};
  detail::prefetch(col_ind, blocks);
  detail::prefetch(values, blocks * block * block);
  for (Offset k = 0; k < blocks; ++k, values += block * block) {
    const T* from = x + Offset{col_ind[k]} * block;
    T around[block * block];
    for (int e = 0; e < block * block; ++e) around[e] = from[e % block];
    for (int e = 0; e < block * block; ++e) parts[e] += values[e] * around[e];
  }
  for (int i = 0; i < block; ++i) {
    sums[i] = parts[i * block];
    for (int j = 1; j < block; ++j) sums[i] += parts[i * block + j];
  }
}

/// One of them, of blocks of any size.
template <class T>
inline T row_sum(const Index* __restrict__ col_ind, const T* __restrict__ values, const T* __restrict__ x,
                 Offset blocks, int block) {
  T sum = 0;
  for (Offset k = 0; k < blocks; ++k, values += Offset{block} * block) {
    const T* from = x + Offset{col_ind[k]} * block;
    T part = 0;
#pragma omp simd reduction(+ : part)
    for (int j = 0; j < block; ++j) part += values[j] * from[j];
    sum += part;
  }
  return sum;
}

/// A slice whose block rows lie side by side: sums[i][lane], padding left out.
template <class T>
inline void slice_sums(const BlockSlicedEllView<T>& a, Offset slice, int block, const T* __restrict__ x,
                       int row_in_block, T* __restrict__ sums) {
  const Offset stored = (a.slice_ptr[slice + 1] - a.slice_ptr[slice]) / slice_height;
  const Index* __restrict__ col_ind = a.col_ind.data() + a.slice_ptr[slice];
  const T* __restrict__ values = a.values.data() + (a.slice_ptr[slice] * block + row_in_block * slice_height) * block;
  for (Offset k = 0; k < stored; ++k, col_ind += slice_height, values += Offset{block} * block * slice_height) {
    detail::prefetch(values, block * slice_height);
    for (int j = 0; j < block; ++j) {
#pragma omp simd
      for (int lane = 0; lane < slice_height; ++lane) {
        const Index col = col_ind[lane];
        sums[lane] += values[j * slice_height + lane] * (col >= 0 ? x[Offset{col} * block + j] : T{0});
      }
    }
  }
}

}  // namespace

template <class T, class Use>
void product(Threads& exec, const BlockCrsView<const T>& a, View<const T> x, Use use, double* result) {
  double sum = 0;
  with_block_size(a.block, [&](auto size) {
    sum = detail::for_chunks(
        exec, a.block_rows(), block_row_chunk, Use::reduces, [&](Offset row) { return a.row_ptr[row]; },
        [&](Offset first, Offset last) {
          double total = 0;
          for (Offset row = first; row < last; ++row) {
            const Offset begin = a.row_ptr[row], blocks = a.row_ptr[row + 1] - begin;
            const Index* col_ind = a.col_ind.data() + begin;
            if constexpr (size > 0) {
              T sums[size > 0 ? size : 1];
              block_row_sums<size>(col_ind, a.values.data() + begin * size * size, x.data(), blocks, sums);
              for (int i = 0; i < size; ++i) total += use(row * size + i, sums[i]);
            } else {
              for (int i = 0; i < a.block; ++i) {
                const T* values = a.values.data() + (begin * a.block + i) * a.block;
                total += use(row * a.block + i, row_sum(col_ind, values, x.data(), blocks, a.block));
              }
            }
          }
          return total;
        });
  });
  if (result) *result = sum;
}

template <class T, class Use>
void product(Threads& exec, const BlockSlicedEllView<T>& a, View<const T> x, Use use, double* result) {
  double sum = 0;
  with_block_size(a.block, [&](auto size) {
    const int block = size > 0 ? int{size} : a.block;
    sum = detail::for_chunks(
        exec, a.slice_ptr.size() - 1, slice_chunk, Use::reduces,
        [&](Offset slice) { return a.slice_ptr[std::min(slice, a.slice_ptr.size() - 1)]; },
        [&](Offset first, Offset last) {
          double total = 0;
          for (Offset slice = first; slice < last; ++slice)
            for (int i = 0; i < block; ++i) {
              T sums[slice_height] = {};
              slice_sums(a, slice, block, x.data(), i, sums);
              for (int lane = 0; lane < slice_height; ++lane) {
                const Index row = a.block_row(slice * slice_height + lane);
                if (row >= 0) total += use(Offset{row} * block + i, sums[lane]);
              }
            }
          return total;
        });
  });
  if (result) *result = sum;
}

TESSERA_INSTANTIATE_BLOCKS(Threads, double);
TESSERA_INSTANTIATE_BLOCKS(Threads, float);

}  // namespace tessera::linalg
