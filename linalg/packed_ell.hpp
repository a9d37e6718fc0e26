#pragma once
#include "linalg/convert.hpp"
#include "linalg/formats_ops.hpp"

namespace tessera::linalg {

/// How a slice of PackedEll stores its columns; the value is the number of 4-byte words that 32 entries take.
enum class ColumnCode : Index {
  diagonals = 2,  ///< base, mask: column lane + base, for the lanes of the mask
  deltas = 17,    ///< base, then 16-bit distances from lane + base, 0xffff: padding
  columns = 32,   ///< the columns themselves, -1: padding
};
/// Words of a slice of `width` entries a row: an even number, so that base and mask are read together.
TESSERA_HD constexpr Offset words_of(ColumnCode code, Index width) {
  const Offset words = static_cast<Offset>(width) * static_cast<Offset>(code);
  return words + words % 2;
}
TESSERA_HD constexpr ColumnCode code_of(Offset words, Index width) {
  if (words == words_of(ColumnCode::diagonals, width)) return ColumnCode::diagonals;
  return words == words_of(ColumnCode::deltas, width) ? ColumnCode::deltas : ColumnCode::columns;
}

/// Where a slice begins among the values and among the words that hold its columns.
struct PackedSlice {
  Offset values = 0;
  Offset words = 0;
};

/// Borrowed packed ELL. Slices and slots as in sliced ELL; slot s is lane s % 32 of its slice.
template <class T>
struct PackedEllView {
  using Scalar = T;
  static constexpr const char* format = "packed_ell";
  static constexpr unsigned no_delta = 0xffff;
  Index rows = 0;
  Index cols = 0;
  View<const PackedSlice> slices;  ///< [slices + 1]
  View<const Index> words;         ///< [words], columns of a slice as ColumnCode says
  View<const T> values;            ///< [entries]
  View<const Index> row_of;        ///< [rows], the row in each slot; empty: slot = row

  TESSERA_HD Offset slots() const { return (slices.size() - 1) * slice_height; }
  TESSERA_HD Index row(Offset slot) const {
    return slot >= rows ? -1 : (row_of.empty() ? static_cast<Index>(slot) : row_of[slot]);
  }
  TESSERA_HD Offset first(Offset slot) const { return slices[slot / slice_height].values + slot % slice_height; }
  TESSERA_HD Index width(Offset slot) const {
    const Offset slice = slot / slice_height;
    return static_cast<Index>((slices[slice + 1].values - slices[slice].values) / slice_height);
  }
  TESSERA_HD Offset step() const { return slice_height; }
  /// The code of a slice follows from how many words its entries take.
  TESSERA_HD ColumnCode code(Offset slice) const {
    return code_of(slices[slice + 1].words - slices[slice].words, width(slice * slice_height));
  }
  /// Column of entry k of a slot, -1 where it is padding.
  TESSERA_HD Index column(Offset slot, Index k) const {
    const Offset slice = slot / slice_height;
    const int lane = static_cast<int>(slot % slice_height);
    const Index* word = words.data() + slices[slice].words;
    switch (code(slice)) {
      case ColumnCode::diagonals: return static_cast<unsigned>(word[2 * k + 1]) >> lane & 1u ? word[2 * k] + lane : -1;
      case ColumnCode::deltas: {
        const unsigned delta = deltas(word, width(slot), k)[lane];
        return delta != no_delta ? word[k] + lane + static_cast<Index>(delta) : -1;
      }
      default: return word[k * slice_height + lane];
    }
  }
  /// The 32 distances of entry k of a slice of `width` entries a row; its words begin with the bases.
  TESSERA_HD static const unsigned short* deltas(const Index* words, Index width, Index k) {
    return reinterpret_cast<const unsigned short*>(words + width) + static_cast<Offset>(k) * slice_height;
  }
  /// The same pattern with other values.
  template <class U>
  PackedEllView<U> with(View<const U> others) const {
    return {rows, cols, slices, words, others, row_of};
  }
};

/// Sliced ELL with compressed columns. Each slice of 32 rows takes the smallest of three codes:
/// - diagonals: rows of a slice that are shifted copies of each other share base columns, 8 B for 32 entries; rows that
///   lack an entry (at a boundary) have a hole there. Structured grids.
/// - deltas: 16 bits from a common base, 68 B for 32 entries. Grids numbered so that neighbours lie near each other.
/// - columns: 32 bits, the escape for slices whose columns lie too far apart. As sliced ELL.
/// In double an entry takes 8.25, 10.1 or 12 B; a row 0.5 B. Rows may be sorted within windows, as in sliced ELL.
template <class Space, class T = double>
struct PackedEll {
  using Scalar = T;
  Index rows = 0;
  Index cols = 0;
  Offset nnz = 0;
  Array<PackedSlice, Space> slices;
  Array<Index, Space> words;
  Array<T, Space> values;
  Array<Index, Space> row_of;

  PackedEllView<T> view() const { return {rows, cols, slices.view(), words.view(), values.view(), row_of.view()}; }
  Offset entries() const { return values.size(); }
  double stored_bytes() const {
    return static_cast<double>(slices.bytes() + words.bytes() + values.bytes() + row_of.bytes());
  }
};

template <class Exec, class T>
PackedEll<typename Exec::Space, T> packed_ell_from_crs(Exec& exec, const Crs<typename Exec::Space, T>& A,
                                                       const SortParams& params = {});

}  // namespace tessera::linalg
