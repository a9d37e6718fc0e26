#pragma once
// The codes of packed ELL, written once; instantiated by packed_ell_threads.cpp and packed_ell_cuda.cu.
#include "linalg/ell_impl.hpp"

namespace tessera::linalg {
namespace detail {

/// The diagonals col - lane that occur in a slice, ascending: f(k, base, mask of the lanes that have it). Returns how many
/// there are, or most + 1 once there are more than `most`.
template <class T, class F>
TESSERA_HD Index merge_diagonals(const CrsView<const T>& A, Offset slice, Index most, F f) {
  constexpr Index none = 0x7fffffff;
  const Offset first_row = slice * slice_height;
  const int lanes = static_cast<int>(A.rows - first_row < slice_height ? A.rows - first_row : slice_height);
  Index diagonal[slice_height];  // next one of each row
  Offset next[slice_height];
  for (int lane = 0; lane < lanes; ++lane) {
    next[lane] = A.row_ptr[first_row + lane];
    diagonal[lane] = next[lane] < A.row_ptr[first_row + lane + 1] ? A.col_ind[next[lane]] - lane : none;
  }
  for (Index count = 0;; ++count) {
    Index base = none;
    for (int lane = 0; lane < lanes; ++lane) base = diagonal[lane] < base ? diagonal[lane] : base;
    if (base == none) return count;
    if (count == most) return most + 1;
    unsigned mask = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      if (diagonal[lane] != base) continue;
      mask |= 1u << lane;
      ++next[lane];
      diagonal[lane] = next[lane] < A.row_ptr[first_row + lane + 1] ? A.col_ind[next[lane]] - lane : none;
    }
    f(count, base, mask);
  }
}

/// Smallest and largest col - lane among the k-th entries of a slice.
struct Spread {
  Index low = 0x7fffffff;
  Index high = -slice_height;
};
template <class T>
TESSERA_HD Spread spread(const CrsView<const T>& A, Offset slice, Index k) {
  Spread result;
  const Offset first_row = slice * slice_height;
  for (int lane = 0; lane < slice_height && first_row + lane < A.rows; ++lane) {
    const Offset entry = A.row_ptr[first_row + lane] + k;
    if (entry >= A.row_ptr[first_row + lane + 1]) continue;
    const Index diagonal = A.col_ind[entry] - lane;
    result.low = diagonal < result.low ? diagonal : result.low;
    result.high = diagonal > result.high ? diagonal : result.high;
  }
  return result;
}

struct SliceSize {
  Index width = 0;
  ColumnCode code = ColumnCode::diagonals;
};

/// The code that takes the least bytes, values included.
template <class T>
TESSERA_HD SliceSize choose_code(const CrsView<const T>& A, Offset slice) {
  const Index longest = longest_of_slice(A.row_ptr, slice);
  bool near = true;
  for (Index k = 0; k < longest && near; ++k) {
    const Spread found = spread(A, slice, k);
    near = static_cast<Offset>(found.high) - found.low < PackedEllView<T>::no_delta;
  }
  const ColumnCode rows_code = near ? ColumnCode::deltas : ColumnCode::columns;
  auto bytes = [](ColumnCode code) { return slice_height * sizeof(T) + sizeof(Index) * static_cast<Offset>(code); };
  const Index most = static_cast<Index>(longest * bytes(rows_code) / bytes(ColumnCode::diagonals));
  const Index diagonals = merge_diagonals(A, slice, most, [](Index, Index, unsigned) {});
  return diagonals <= most ? SliceSize{diagonals, ColumnCode::diagonals} : SliceSize{longest, rows_code};
}

/// Writes the words of a slice.
template <class T>
TESSERA_HD void encode(const CrsView<const T>& A, Offset slice, Index width, ColumnCode code, Index* words) {
  if (code == ColumnCode::diagonals) {
    merge_diagonals(A, slice, width, [words](Index k, Index base, unsigned mask) {
      words[2 * k] = base;
      words[2 * k + 1] = static_cast<Index>(mask);
    });
    return;
  }
  for (Index k = 0; k < width; ++k) {
    const Index base = code == ColumnCode::deltas ? spread(A, slice, k).low : 0;
    if (code == ColumnCode::deltas) words[k] = base;
    auto* deltas = const_cast<unsigned short*>(PackedEllView<T>::deltas(words, width, k));
    for (int lane = 0; lane < slice_height; ++lane) {
      const Offset row = slice * slice_height + lane, entry = row < A.rows ? A.row_ptr[row] + k : 0;
      const Index col = row < A.rows && entry < A.row_ptr[row + 1] ? A.col_ind[entry] : -1;
      if (code == ColumnCode::deltas)
        deltas[lane] = static_cast<unsigned short>(col >= 0 ? col - lane - base : PackedEllView<T>::no_delta);
      else
        words[k * slice_height + lane] = col;
    }
  }
}

}  // namespace detail

template <class Exec, class T>
PackedEll<typename Exec::Space, T> packed_ell_from_crs(Exec& exec, const Crs<typename Exec::Space, T>& A) {
  using Space = typename Exec::Space;
  const Offset slices = slices_of(A.rows);
  Array<Offset, Space> values_ptr(slices + 1), words_ptr(slices + 1);
  const View<Offset> value_counts = values_ptr, word_counts = words_ptr;
  const CrsView<const T> from = A.view();
  for_each(exec, slices + 1, [=] TESSERA_HD(Offset slice) {
    const detail::SliceSize size = slice < slices ? detail::choose_code(from, slice) : detail::SliceSize{};
    value_counts[slice] = static_cast<Offset>(size.width) * slice_height;
    word_counts[slice] = static_cast<Offset>(size.width) * static_cast<Offset>(size.code);
  });
  PackedEll<Space, T> result;
  result.rows = A.rows;
  result.cols = A.cols;
  result.nnz = A.nnz();
  result.values = Array<T, Space>(counts_to_offsets(exec, value_counts));
  result.words = Array<Index, Space>(counts_to_offsets(exec, word_counts));
  result.slices = Array<PackedSlice, Space>(slices + 1);
  const View<PackedSlice> slice_of = result.slices;
  for_each(exec, slices + 1,
           [=] TESSERA_HD(Offset slice) { slice_of[slice] = {value_counts[slice], word_counts[slice]}; });
  const PackedEllView<T> view = std::as_const(result).view();
  const View<Index> words = result.words;
  for_each(exec, slices, [=] TESSERA_HD(Offset slice) {
    detail::encode(from, slice, view.width(slice * slice_height), view.code(slice), words.data() + view.slices[slice].words);
  });
  refill(exec, view, from, result.values.view());
  return result;
}

}  // namespace tessera::linalg
