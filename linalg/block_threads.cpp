#include "linalg/block_impl.hpp"
#include "linalg/formats_threads.hpp"
#include "linalg/prefetch.hpp"

namespace tessera::linalg {
namespace {

/// Block rows a chunk, so that the partial sums of a fused dot do not depend on the thread count.
constexpr Offset block_row_chunk = 256;
/// Blocks up to this size are unrolled: every place of theirs has a register. Of 4 x 4 blocks on the same core half of
/// the time of CRS, as loops one and a half times as much.
constexpr int unrolled = 6;
/// Rows of a block that are summed together where their number is not known to the compiler.
constexpr int some_rows = 8;
/// Block rows whose sums are made together before they are used. One core of an AMD EPYC, 2026-11-22, P1 tets with
/// 51 k nodes: of 2 x 2 blocks 1.0 ms; where the use is in the same loop, which spills registers, 2.1; in CRS 1.9.
constexpr int block_rows_together = 16;
/// Slices a chunk: 256 block rows.
constexpr Offset slice_chunk = 8;

/// The sums of `count` block rows from `first` on: sums[row][i] = sum_k sum_j values[k][i][j] x[col_k][j]. Each place
/// in a block has a sum of its own until the end, so that no sum waits for another. Apart from what is done with the
/// sums, so that all of them stay in registers.
template <int block, class T>
__attribute__((noinline)) void row_sums(const BlockCrsView<const T>& a, const T* __restrict__ x, Offset first,
                                        int count, T* __restrict__ sums) {
  const Offset* row_ptr = a.row_ptr.data() + first;
  const Index* __restrict__ col_ind = a.col_ind.data();
  const T* __restrict__ values = a.values.data() + row_ptr[0] * block * block;
  for (int row = 0; row < count; ++row, sums += block) {
    detail::prefetch(col_ind + row_ptr[row], row_ptr[row + 1] - row_ptr[row]);
    detail::prefetch(values, (row_ptr[row + 1] - row_ptr[row]) * block * block);
    T parts[block * block] = {};
    for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k, values += block * block) {
      const T* from = x + Offset{col_ind[k]} * block;
      for (int i = 0; i < block; ++i)
        for (int j = 0; j < block; ++j) parts[i * block + j] += values[i * block + j] * from[j];
    }
    for (int i = 0; i < block; ++i) {
      sums[i] = parts[i * block];
      for (int j = 1; j < block; ++j) sums[i] += parts[i * block + j];
    }
  }
}

/// The same for one block row of blocks of any size, and of these `count` rows from `first` on: sums[i] += ...
template <class T>
__attribute__((noinline)) void some_row_sums(const BlockCrsView<const T>& a, const T* __restrict__ x, Offset row,
                                             int first, int count, T* __restrict__ sums) {
  const int block = a.block;
  const T* __restrict__ values = a.values.data() + (a.row_ptr[row] * block + first) * block;
  for (Offset k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k, values += Offset{block} * block) {
    detail::prefetch(values, count * block);
    const T* from = x + Offset{a.col_ind[k]} * block;
    for (int i = 0; i < count; ++i) {
      T part = 0;
      for (int j = 0; j < block; ++j) part += values[i * block + j] * from[j];
      sums[i] += part;
    }
  }
}

/// A slice, whose block rows lie side by side, for `count` rows of its blocks from `first` on: sums[i][lane]. Entries
/// of x are fetched first, for all these rows, so that the values are read in their order; padding is left out.
template <int size, class T>
__attribute__((noinline)) void slice_sums(const BlockSlicedEllView<T>& a, Offset slice, const T* __restrict__ x,
                                          int first, int count, T* __restrict__ sums) {
  constexpr int together = size > 0 ? size : some_rows;
  const int block = size > 0 ? size : a.block;
  const Offset stored = (a.slice_ptr[slice + 1] - a.slice_ptr[slice]) / slice_height;
  const Index* __restrict__ col_ind = a.col_ind.data() + a.slice_ptr[slice];
  const T* __restrict__ values = a.values.data() + (a.slice_ptr[slice] * block + first * slice_height) * block;
  for (Offset k = 0; k < stored; ++k, col_ind += slice_height, values += Offset{block} * block * slice_height) {
    for (int before = 0; before < block; before += together) {
      const int columns = size > 0 ? size : std::min(together, block - before);
      T from[together * slice_height];
      for (int j = 0; j < columns; ++j) {
#pragma omp simd
        for (int lane = 0; lane < slice_height; ++lane)
          from[j * slice_height + lane] = col_ind[lane] >= 0 ? x[Offset{col_ind[lane]} * block + before + j] : T{0};
      }
      for (int i = 0; i < (size > 0 ? size : count); ++i) {
        const T* __restrict__ row = values + (i * block + before) * slice_height;
        detail::prefetch(row, columns * slice_height);
        for (int j = 0; j < columns; ++j) {
#pragma omp simd
          for (int lane = 0; lane < slice_height; ++lane)
            sums[i * slice_height + lane] += row[j * slice_height + lane] * from[j * slice_height + lane];
        }
      }
    }
  }
}

}  // namespace

template <class T, class Use>
void product(Threads& exec, const BlockCrsView<const T>& a, View<const T> x, Use use, double* result) {
  double sum = 0;
  with_block_size<unrolled>(a.block, [&](auto size) {
    sum = detail::for_chunks(
        exec, a.block_rows(), block_row_chunk, Use::reduces, [&](Offset row) { return a.row_ptr[row]; },
        [&](Offset first, Offset last) {
          double total = 0;
          if constexpr (size > 0) {
            T sums[block_rows_together * (size > 0 ? size : 1)];
            for (Offset row = first; row < last; row += block_rows_together) {
              const int count = static_cast<int>(std::min<Offset>(block_rows_together, last - row));
              row_sums<size>(a, x.data(), row, count, sums);
              for (int i = 0; i < count * size; ++i) total += use(row * size + i, sums[i]);
            }
          } else {
            for (Offset row = first; row < last; ++row)
              for (int i = 0; i < a.block; i += some_rows) {
                const int count = std::min(some_rows, a.block - i);
                T sums[some_rows] = {};
                some_row_sums(a, x.data(), row, i, count, sums);
                for (int r = 0; r < count; ++r) total += use(row * a.block + i + r, sums[r]);
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
  with_block_size<unrolled>(a.block, [&](auto size) {
    const int block = size > 0 ? int{size} : a.block;
    constexpr int together = size > 0 ? int{size} : some_rows;
    sum = detail::for_chunks(
        exec, a.slice_ptr.size() - 1, slice_chunk, Use::reduces,
        [&](Offset slice) { return a.slice_ptr[std::min(slice, a.slice_ptr.size() - 1)]; },
        [&](Offset first, Offset last) {
          double total = 0;
          for (Offset slice = first; slice < last; ++slice)
            for (int i = 0; i < block; i += together) {
              const int count = std::min(together, block - i);
              T sums[together * slice_height] = {};
              slice_sums<size>(a, slice, x.data(), i, count, sums);
              for (int lane = 0; lane < slice_height; ++lane) {
                const Index row = a.block_row(slice * slice_height + lane);
                if (row < 0) continue;
                for (int r = 0; r < count; ++r)
                  total += use(Offset{row} * block + i + r, sums[r * slice_height + lane]);
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
