#pragma once
// Packing the columns of a slice by one warp; what packed_ell_impl.hpp does slice by slice on threads.
#include "linalg/packed_ell_impl.hpp"

namespace tessera::linalg::detail {

inline constexpr int encode_block = 256;
inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline Index warp_min(Index value) {
  for (int step = 16; step > 0; step /= 2) value = min(value, __shfl_xor_sync(all_lanes, value, step));
  return value;
}
__device__ inline Index warp_max(Index value) {
  for (int step = 16; step > 0; step /= 2) value = max(value, __shfl_xor_sync(all_lanes, value, step));
  return value;
}

/// merge_diagonals with lane = thread.
template <class T, class F>
__device__ Index merge_diagonals_of_warp(const SlotRows<T>& rows, Offset slice, Index most, F f) {
  constexpr Index none = 0x7fffffff;
  const int lane = threadIdx.x % 32;
  const auto row = rows.entries(slice * slice_height + lane);
  Offset next = row.begin;
  const Offset end = row.begin + row.count;
  Index diagonal = next < end ? rows.A.col_ind[next] - lane : none;
  for (Index count = 0;; ++count) {
    const Index base = warp_min(diagonal);
    if (base == none) return count;
    if (count == most) return most + 1;
    const bool mine = diagonal == base;
    const unsigned mask = __ballot_sync(all_lanes, mine);
    if (mine) {
      ++next;
      diagonal = next < end ? rows.A.col_ind[next] - lane : none;
    }
    f(count, base, mask);
  }
}

template <class T, class F>
__global__ void __launch_bounds__(encode_block) size_slices_kernel(SlotRows<T> rows, Offset slices, F f) {
  const Offset slice = (blockIdx.x * static_cast<Offset>(encode_block) + threadIdx.x) / 32;
  if (slice >= slices) return;
  const int lane = threadIdx.x % 32;
  const auto row = rows.entries(slice * slice_height + lane);
  const Index longest = warp_max(static_cast<Index>(row.count));
  bool near = true;
  for (Index k = 0; k < longest && near; ++k) {
    const Spread empty;
    const Index col = k < row.count ? rows.A.col_ind[row.begin + k] : -1;
    const Index low = warp_min(col >= 0 ? col - lane : empty.low), high = warp_max(col >= 0 ? col - lane : empty.high);
    near = static_cast<Offset>(high) - low < PackedEllView<T>::no_delta;
  }
  const ColumnCode other = near ? ColumnCode::deltas : ColumnCode::columns;
  const Index most = most_diagonals<T>(longest, other);
  const Index diagonals = merge_diagonals_of_warp(rows, slice, most, [](Index, Index, unsigned) {});
  if (lane != 0) return;
  if (diagonals <= most)
    f(slice, diagonals, ColumnCode::diagonals);
  else
    f(slice, longest, other);
}

template <class T>
__global__ void __launch_bounds__(encode_block)
    encode_slices_kernel(SlotRows<T> rows, Offset slices, PackedEllView<T> view, View<Index> all_words) {
  const Offset slice = (blockIdx.x * static_cast<Offset>(encode_block) + threadIdx.x) / 32;
  if (slice >= slices) return;
  const int lane = threadIdx.x % 32;
  const auto row = rows.entries(slice * slice_height + lane);
  const Index width = view.width(slice * slice_height);
  const ColumnCode code = view.code(slice);
  Index* words = all_words.data() + view.slices[slice].words;
  if (code == ColumnCode::diagonals) {
    merge_diagonals_of_warp(rows, slice, width, [=](Index k, Index base, unsigned mask) {
      if (lane == 0) {
        words[2 * k] = base;
        words[2 * k + 1] = static_cast<Index>(mask);
      }
    });
    return;
  }
  if (code == ColumnCode::deltas && lane == 0) words[words_of(code, width) - 1] = 0;  // may be a word of nothing
  __syncwarp();
  for (Index k = 0; k < width; ++k) {
    const Index col = k < row.count ? rows.A.col_ind[row.begin + k] : -1;
    if (code == ColumnCode::columns) {
      words[static_cast<Offset>(k) * slice_height + lane] = col;
      continue;
    }
    const Index base = warp_min(col >= 0 ? col - lane : Spread{}.low);
    if (lane == 0) words[k] = base;
    const_cast<unsigned short*>(view.deltas(words, width, k))[lane] =
        static_cast<unsigned short>(col >= 0 ? col - lane - base : view.no_delta);
  }
}

template <class T, class F>
void size_slices(Cuda& exec, const SlotRows<T>& rows, F f) {
  const Offset slices = slices_of(rows.A.rows);
  launch(exec, size_slices_kernel<T, F>, (slices * 32 + encode_block - 1) / encode_block, encode_block, rows, slices,
         f);
}

template <class T>
void encode_slices(Cuda& exec, const SlotRows<T>& rows, const PackedEllView<T>& view, View<Index> words) {
  const Offset slices = slices_of(rows.A.rows);
  launch(exec, encode_slices_kernel<T>, (slices * 32 + encode_block - 1) / encode_block, encode_block, rows, slices,
         view, words);
}

}  // namespace tessera::linalg::detail
