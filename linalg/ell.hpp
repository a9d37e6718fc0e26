#pragma once
#include <optional>

#include "linalg/convert.hpp"
#include "linalg/formats_ops.hpp"
#include "linalg/row_layout.hpp"

namespace tessera::linalg {

/// Borrowed ELL. Slot = row.
template <class T>
struct EllView {
  using Scalar = T;
  static constexpr const char* format = "ell";
  Index rows = 0;
  Index cols = 0;
  Index columns = 0;          ///< stored columns: the length of the longest row
  Offset stride = 0;          ///< between stored columns; at least `rows`
  View<const Index> col_ind;  ///< [columns, stride], -1: padding
  View<const T> values;       ///< [columns, stride]

  TESSERA_HD Offset slots() const { return stride; }
  TESSERA_HD Index row(Offset slot) const { return slot < rows ? static_cast<Index>(slot) : -1; }
  TESSERA_HD Offset first(Offset slot) const { return slot; }
  TESSERA_HD Index width(Offset) const { return columns; }
  TESSERA_HD Offset step() const { return stride; }
  TESSERA_HD Index column(Offset slot, Index k) const { return col_ind[slot + k * stride]; }
  /// The same pattern with other values.
  template <class U>
  EllView<U> with(View<const U> others) const {
    return {rows, cols, columns, stride, col_ind, others};
  }
};

/// ELLPACK/ITPACK: as many columns as the longest row has non-zeros, stored column after column so that neighbouring
/// rows lie side by side; short rows end in padding (value 0, column -1). From 32 rows on columns are padded to a
/// multiple of 32. 12 B an entry in double, padding included. Koza et al., "Sparse matrix-vector product", (6.2).
template <class Space, class T = double>
struct Ell {
  using Scalar = T;
  Index rows = 0;
  Index cols = 0;
  Offset nnz = 0;
  Index columns = 0;
  Offset stride = 0;
  Array<Index, Space> col_ind;
  Array<T, Space> values;
  Array<Offset, Space> starts;  ///< {0}: all rows are one slice, for `layout`

  EllView<T> view() const { return {rows, cols, columns, stride, col_ind.view(), values.view()}; }
  Offset entries() const { return values.size(); }
  double stored_bytes() const { return static_cast<double>(col_ind.bytes() + values.bytes()); }
  /// Where an assembler finds the entries.
  std::optional<RowLayout> layout() const { return RowLayout{starts.data(), static_cast<Index>(stride)}; }
};

/// Throws Error(usage) when padding would take more than `padding_limit` times the memory of CRS.
template <class Exec, class T>
Ell<typename Exec::Space, T> ell_from_crs(Exec& exec, const Crs<typename Exec::Space, T>& A);

}  // namespace tessera::linalg
