#pragma once
#include "base/array.hpp"

namespace tessera::linalg {

/// Borrowed compressed row storage; what kernels take.
template <class T = double>
struct CrsView {
  using Scalar = std::remove_const_t<T>;
  static constexpr const char* format = "crs";

  Index rows = 0;
  Index cols = 0;
  View<const Offset> row_ptr;  ///< [rows + 1]
  View<const Index> col_ind;   ///< [nnz], ascending within a row
  View<T> values;              ///< [nnz]

  template <class U>
  requires(std::is_same_v<U, const T> && !std::is_const_v<T>) TESSERA_HD operator CrsView<U>() const {
    return {rows, cols, row_ptr, col_ind, values};
  }
  /// The same pattern with other values.
  template <class U>
  CrsView<const U> with(View<const U> other) const {
    return {rows, cols, row_ptr, col_ind, other};
  }
};

/// Compressed row storage (CRS, also CSR). 12 B per non-zero and 8 B per row in double.
template <class Space, class T = double>
struct Crs {
  Index rows = 0;
  Index cols = 0;
  Array<Offset, Space> row_ptr;
  Array<Index, Space> col_ind;
  Array<T, Space> values;

  Offset nnz() const { return col_ind.size(); }
  CrsView<T> view() { return {rows, cols, row_ptr.view(), col_ind.view(), values.view()}; }
  CrsView<const T> view() const { return {rows, cols, row_ptr.view(), col_ind.view(), values.view()}; }
};

}  // namespace tessera::linalg
