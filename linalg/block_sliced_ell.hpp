#pragma once
#include "linalg/block_ops.hpp"
#include "linalg/convert.hpp"

namespace tessera::linalg {

/// Borrowed sliced ELL of block rows. Slot s lies in slice s / 32 at place s % 32.
template <class T>
struct BlockSlicedEllView {
  using Scalar = T;
  static constexpr const char* format = "block_sliced_ell";
  Index rows = 0;  ///< of numbers, a multiple of block
  Index cols = 0;
  int block = 1;
  View<const Offset> slice_ptr;  ///< [slices + 1] in blocks, multiples of 32
  View<const Index> col_ind;     ///< [stored blocks], block columns; -1: padding
  View<const T> values;          ///< [stored blocks / 32, block, block, 32]
  View<const Index> row_of;      ///< [rows / block], the block row in each slot; empty: slot = block row

  TESSERA_HD Index block_rows() const { return rows / block; }
  TESSERA_HD Offset block_slots() const { return (slice_ptr.size() - 1) * slice_height; }
  TESSERA_HD Index block_row(Offset slot) const {
    return slot >= block_rows() ? -1 : (row_of.empty() ? static_cast<Index>(slot) : row_of[slot]);
  }
  TESSERA_HD Index width(Offset slot) const {
    const Offset slice = slot / slice_height;
    return static_cast<Index>((slice_ptr[slice + 1] - slice_ptr[slice]) / slice_height);
  }
  TESSERA_HD Index column(Offset slot, Index k) const {
    return col_ind[slice_ptr[slot / slice_height] + Offset{k} * slice_height + slot % slice_height];
  }
  TESSERA_HD Offset place(Offset slot, Index k) const {
    return (slice_ptr[slot / slice_height] + Offset{k} * slice_height) * block * block + slot % slice_height;
  }
  TESSERA_HD static constexpr Offset step() { return slice_height; }
  /// The same pattern with other values.
  template <class U>
  BlockSlicedEllView<U> with(View<const U> others) const {
    return {rows, cols, block, slice_ptr, col_ind, others, row_of};
  }
};

/// Sliced ELL of block rows: slices of 32 block rows, each padded to its own longest, block after block; of a block,
/// entry (i, j) of all 32 rows stands together, so that a warp with a block row a lane streams through its slice and
/// keeps the entries of x of a block for all its rows. Sorted as SlicedEll where rows differ much in length.
/// 8 block^2 + 4 B a stored block in double, and 0.25 B a block row.
template <class Space, class T = double>
struct BlockSlicedEll {
  using Scalar = T;
  Index rows = 0;  ///< of numbers
  Index cols = 0;
  int block = 1;
  Offset blocks = 0;  ///< without padding
  Array<Offset, Space> slice_ptr;
  Array<Index, Space> col_ind;
  Array<T, Space> values;
  Array<Index, Space> row_of;

  BlockSlicedEllView<T> view() const {
    return {rows, cols, block, slice_ptr.view(), col_ind.view(), values.view(), row_of.view()};
  }
  Offset nnz() const { return blocks * block * block; }
  Offset entries() const { return values.size(); }
  double stored_bytes() const {
    return static_cast<double>(slice_ptr.bytes() + col_ind.bytes() + values.bytes() + row_of.bytes());
  }
};

template <class Exec, class T>
BlockSlicedEll<typename Exec::Space, T> block_sliced_ell_from_blocks(Exec& exec,
                                                                     const BlockCrs<typename Exec::Space, T>& A,
                                                                     const SortParams& params = {});

/// Values of a matrix of the same pattern take the place of those stored: a numeric refill, without host or allocation.
/// Throws Error(internal) when the sizes show another pattern.
template <class Exec, class T>
void assign_values(Exec& exec, const BlockCrs<typename Exec::Space, T>& from,
                   BlockSlicedEll<typename Exec::Space, T>& to);

}  // namespace tessera::linalg
