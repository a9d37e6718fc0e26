#pragma once
// The codes of packed ELL, written once; instantiated by packed_ell_threads.cpp and packed_ell_cuda.cu.
#include "linalg/ell_impl.hpp"

namespace tessera::linalg {
namespace detail {

/// The rows of CRS in the order of their slots.
template <class T>
struct SlotRows {
  CrsView<const T> A;
  View<const Index> row_of;

  /// Where the entries of a slot begin, and how many there are.
  struct Entries {
    Offset begin = 0;
    Offset count = 0;
  };
  TESSERA_HD Entries entries(Offset slot) const {
    if (slot >= A.rows) return {};
    const Offset row = row_of.empty() ? slot : row_of[slot];
    return {A.row_ptr[row], A.row_ptr[row + 1] - A.row_ptr[row]};
  }
  /// Column of entry k of a slot, -1 where the row is shorter.
  TESSERA_HD Index column(Offset slot, Offset k) const {
    const Entries row = entries(slot);
    return k < row.count ? A.col_ind[row.begin + k] : -1;
  }
};

/// The diagonals col - lane that occur in a slice, ascending: f(k, base, mask of the lanes that have it). Returns how
/// many there are, or most + 1 once there are more than `most`.
template <class T, class F>
Index merge_diagonals(const SlotRows<T>& rows, Offset slice, Index most, F f) {
  constexpr Index none = 0x7fffffff;
  Index diagonal[slice_height];  // next one of each row
  Offset next[slice_height], end[slice_height];
  for (int lane = 0; lane < slice_height; ++lane) {
    const auto row = rows.entries(slice * slice_height + lane);
    next[lane] = row.begin;
    end[lane] = row.begin + row.count;
    diagonal[lane] = row.count > 0 ? rows.A.col_ind[row.begin] - lane : none;
  }
  for (Index count = 0;; ++count) {
    Index base = none;
    for (int lane = 0; lane < slice_height; ++lane) base = diagonal[lane] < base ? diagonal[lane] : base;
    if (base == none) return count;
    if (count == most) return most + 1;
    unsigned mask = 0;
    for (int lane = 0; lane < slice_height; ++lane) {
      if (diagonal[lane] != base) continue;
      mask |= 1u << lane;
      ++next[lane];
      diagonal[lane] = next[lane] < end[lane] ? rows.A.col_ind[next[lane]] - lane : none;
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
Spread spread(const SlotRows<T>& rows, Offset slice, Index k) {
  Spread result;
  for (int lane = 0; lane < slice_height; ++lane) {
    const Index col = rows.column(slice * slice_height + lane, k);
    if (col < 0) continue;
    result.low = col - lane < result.low ? col - lane : result.low;
    result.high = col - lane > result.high ? col - lane : result.high;
  }
  return result;
}

struct SliceSize {
  Index width = 0;
  ColumnCode code = ColumnCode::diagonals;
};

/// Diagonals up to which they take no more bytes, values included, than `longest` entries a row in the other code.
template <class T>
TESSERA_HD Index most_diagonals(Index longest, ColumnCode other) {
  auto bytes = [](ColumnCode code) { return slice_height * sizeof(T) + sizeof(Index) * static_cast<Offset>(code); };
  return static_cast<Index>(longest * bytes(other) / bytes(ColumnCode::diagonals));
}

/// The code that takes the least bytes.
template <class T>
SliceSize choose_code(const SlotRows<T>& rows, Offset slice) {
  const Index longest = longest_of_slice(rows.A.row_ptr, rows.row_of, slice);
  bool near = true;
  for (Index k = 0; k < longest && near; ++k) {
    const Spread found = spread(rows, slice, k);
    near = static_cast<Offset>(found.high) - found.low < PackedEllView<T>::no_delta;
  }
  const ColumnCode other = near ? ColumnCode::deltas : ColumnCode::columns;
  const Index most = most_diagonals<T>(longest, other);
  const Index diagonals = merge_diagonals(rows, slice, most, [](Index, Index, unsigned) {});
  return diagonals <= most ? SliceSize{diagonals, ColumnCode::diagonals} : SliceSize{longest, other};
}

/// Writes the words of a slice.
template <class T>
void encode(const SlotRows<T>& rows, Offset slice, Index width, ColumnCode code, Index* words) {
  if (code == ColumnCode::diagonals) {
    merge_diagonals(rows, slice, width, [words](Index k, Index base, unsigned mask) {
      words[2 * k] = base;
      words[2 * k + 1] = static_cast<Index>(mask);
    });
    return;
  }
  if (code == ColumnCode::deltas) words[words_of(code, width) - 1] = 0;  // may be a word of nothing
  for (Index k = 0; k < width; ++k) {
    const Index base = code == ColumnCode::deltas ? spread(rows, slice, k).low : 0;
    if (code == ColumnCode::deltas) words[k] = base;
    auto* deltas = const_cast<unsigned short*>(PackedEllView<T>::deltas(words, width, k));
    for (int lane = 0; lane < slice_height; ++lane) {
      const Index col = rows.column(slice * slice_height + lane, k);
      if (code == ColumnCode::deltas)
        deltas[lane] = static_cast<unsigned short>(col >= 0 ? col - lane - base : PackedEllView<T>::no_delta);
      else
        words[k * slice_height + lane] = col;
    }
  }
}

// The two steps of a conversion, a slice at a time; those of CUDA, a warp a slice, are in packed_ell_encode.cuh.

/// Calls f(slice, width, code) for every slice.
template <class T, class F>
void size_slices(Threads& exec, const SlotRows<T>& rows, F f) {
  for_each(exec, slices_of(rows.A.rows), [=](Offset slice) {
    const SliceSize size = choose_code(rows, slice);
    f(slice, size.width, size.code);
  });
}

/// Writes the words of all slices of `view`.
template <class T>
void encode_slices(Threads& exec, const SlotRows<T>& rows, const PackedEllView<T>& view, View<Index> words) {
  for_each(exec, slices_of(rows.A.rows), [=](Offset slice) {
    encode(rows, slice, view.width(slice * slice_height), view.code(slice), words.data() + view.slices[slice].words);
  });
}

}  // namespace detail

template <class Exec, class T>
PackedEll<typename Exec::Space, T> packed_ell_from_crs(Exec& exec, const Crs<typename Exec::Space, T>& A,
                                                       const SortParams& params) {
  using Space = typename Exec::Space;
  PackedEll<Space, T> result;
  result.rows = A.rows;
  result.cols = A.cols;
  result.nnz = A.nnz();
  result.row_of = order_rows(exec, A.cols, A.row_ptr, params);
  const detail::SlotRows<T> rows{A.view(), std::as_const(result.row_of).view()};
  const Offset slices = slices_of(A.rows);
  Array<Offset, Space> values_ptr(slices + 1), words_ptr(slices + 1);
  const View<Offset> value_counts = values_ptr, word_counts = words_ptr;
  size_slices(exec, rows, [=] TESSERA_HD(Offset slice, Index width, ColumnCode code) {
    value_counts[slice] = static_cast<Offset>(width) * slice_height;
    word_counts[slice] = words_of(code, width);
  });
  result.values = Array<T, Space>(counts_to_offsets(exec, value_counts));
  result.words = Array<Index, Space>(counts_to_offsets(exec, word_counts));
  result.slices = Array<PackedSlice, Space>(slices + 1);
  const View<PackedSlice> slice_of = result.slices;
  for_each(exec, slices + 1, [=] TESSERA_HD(Offset slice) {
    slice_of[slice] = {value_counts[slice], word_counts[slice]};
  });
  const PackedEllView<T> view = std::as_const(result).view();
  encode_slices(exec, rows, view, result.words.view());
  refill(exec, view, A.view(), result.values.view());
  return result;
}

}  // namespace tessera::linalg
