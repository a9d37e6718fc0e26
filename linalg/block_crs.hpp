#pragma once
#include "linalg/crs.hpp"

namespace tessera::linalg {

/// Borrowed compressed storage of block rows: `block` unknowns a node, a dense block for each pair of nodes that are
/// coupled, and no column index an entry (BSR of cuSPARSE, row-major). Row i of node n is row n * block + i.
template <class T = double>
struct BlockCrsView {
  using Scalar = std::remove_const_t<T>;
  static constexpr const char* format = "block_crs";

  Index rows = 0;  ///< of numbers, a multiple of block
  Index cols = 0;
  int block = 1;
  View<const Offset> row_ptr;  ///< [rows / block + 1]
  View<const Index> col_ind;   ///< [blocks], block columns, ascending within a block row
  View<T> values;              ///< [blocks, block, block], row-major

  TESSERA_HD Index block_rows() const { return rows / block; }
  // Block rows as slots, as every format of block rows has them: entry (i, j) of block k of a slot stands at
  // place(slot, k) + (block i + j) step().
  TESSERA_HD Offset block_slots() const { return block_rows(); }
  TESSERA_HD Index block_row(Offset slot) const { return static_cast<Index>(slot); }
  TESSERA_HD Index width(Offset slot) const { return static_cast<Index>(row_ptr[slot + 1] - row_ptr[slot]); }
  TESSERA_HD Index column(Offset slot, Index k) const { return col_ind[row_ptr[slot] + k]; }
  TESSERA_HD Offset place(Offset slot, Index k) const { return (row_ptr[slot] + k) * block * block; }
  TESSERA_HD static constexpr Offset step() { return 1; }
  template <class U>
  requires(std::is_same_v<U, const T> && !std::is_const_v<T>) TESSERA_HD operator BlockCrsView<U>() const {
    return {rows, cols, block, row_ptr, col_ind, values};
  }
  /// The same pattern with other values.
  template <class U>
  BlockCrsView<const U> with(View<const U> other) const {
    return {rows, cols, block, row_ptr, col_ind, other};
  }
};

/// Compressed storage of block rows. 8 block^2 + 4 B a block and 8 B a block row in double.
template <class Space, class T = double>
struct BlockCrs {
  using Scalar = T;
  Index rows = 0;  ///< of numbers, a multiple of block
  Index cols = 0;
  int block = 1;
  Array<Offset, Space> row_ptr;
  Array<Index, Space> col_ind;
  Array<T, Space> values;

  Offset blocks() const { return col_ind.size(); }
  Offset nnz() const { return blocks() * block * block; }
  double stored_bytes() const { return static_cast<double>(row_ptr.bytes() + col_ind.bytes() + values.bytes()); }
  BlockCrsView<T> view() { return {rows, cols, block, row_ptr.view(), col_ind.view(), values.view()}; }
  BlockCrsView<const T> view() const { return {rows, cols, block, row_ptr.view(), col_ind.view(), values.view()}; }
  /// Which blocks there are; has no values.
  CrsView<const T> pattern() const { return {rows / block, cols / block, row_ptr.view(), col_ind.view(), {}}; }
};

}  // namespace tessera::linalg
