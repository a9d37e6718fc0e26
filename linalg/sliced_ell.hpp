#pragma once
#include <optional>

#include "linalg/convert.hpp"
#include "linalg/formats_ops.hpp"
#include "linalg/row_layout.hpp"

namespace tessera::linalg {

/// Borrowed sliced ELL. Slot s lies in slice s / 32 at place s % 32.
template <class T>
struct SlicedEllView {
  using Scalar = T;
  static constexpr const char* format = "sliced_ell";
  Index rows = 0;
  Index cols = 0;
  View<const Offset> slice_ptr;  ///< [slices + 1], multiples of 32
  View<const Index> col_ind;     ///< [entries], -1: padding
  View<const T> values;          ///< [entries]
  View<const Index> row_of;      ///< [rows], the row in each slot; empty: slot = row

  TESSERA_HD Offset slots() const { return (slice_ptr.size() - 1) * slice_height; }
  TESSERA_HD Index row(Offset slot) const {
    return slot >= rows ? -1 : (row_of.empty() ? static_cast<Index>(slot) : row_of[slot]);
  }
  TESSERA_HD Offset first(Offset slot) const { return slice_ptr[slot / slice_height] + slot % slice_height; }
  TESSERA_HD Index width(Offset slot) const {
    const Offset slice = slot / slice_height;
    return static_cast<Index>((slice_ptr[slice + 1] - slice_ptr[slice]) / slice_height);
  }
  TESSERA_HD Offset step() const { return slice_height; }
  TESSERA_HD Index column(Offset slot, Index k) const { return col_ind[first(slot) + k * slice_height]; }
  /// The same pattern with other values.
  template <class U>
  SlicedEllView<U> with(View<const U> others) const {
    return {rows, cols, slice_ptr, col_ind, others, row_of};
  }
};

/// Sliced ELL: slices of 32 rows, each padded to its own longest row and stored column after column, so that a warp
/// streams through its slice. Sorting rows by length within a window lessens the padding; y is then written in the
/// window's order. 12 B an entry in double and 0.25 B a row. Monakov, Lokhmotov, Avetisyan, HiPEAC 2010; the window is
/// that of SELL-C-sigma, Kreutzer et al., SIAM J. Sci. Comput. 36 (2014).
template <class Space, class T = double>
struct SlicedEll {
  using Scalar = T;
  Index rows = 0;
  Index cols = 0;
  Offset nnz = 0;
  Array<Offset, Space> slice_ptr;
  Array<Index, Space> col_ind;
  Array<T, Space> values;
  Array<Index, Space> row_of;

  SlicedEllView<T> view() const { return {rows, cols, slice_ptr.view(), col_ind.view(), values.view(), row_of.view()}; }
  Offset entries() const { return values.size(); }
  double stored_bytes() const {
    return static_cast<double>(slice_ptr.bytes() + col_ind.bytes() + values.bytes() + row_of.bytes());
  }
  /// Where an assembler finds the entries; nothing when the rows are sorted.
  std::optional<RowLayout> layout() const {
    if (!row_of.empty()) return {};
    return RowLayout{slice_ptr.data(), slice_height};
  }
};

template <class Exec, class T>
SlicedEll<typename Exec::Space, T> sliced_ell_from_crs(Exec& exec, const Crs<typename Exec::Space, T>& A,
                                                       const SortParams& params = {});

}  // namespace tessera::linalg
