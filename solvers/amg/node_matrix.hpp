#pragma once
#include "linalg/block_crs.hpp"

namespace tessera::solvers::amg {

/// A borrowed matrix of blocks of height x width numbers, one for each pair of nodes that are coupled: of a level, or
/// between the nodes of two levels, which may have different numbers of unknowns. Row i of node n is row n height + i.
template <class T>
struct NodeMatrixView {
  using Scalar = std::remove_const_t<T>;
  Index rows = 0, cols = 0;  ///< of nodes
  int height = 1, width = 1;
  View<const Offset> row_ptr;  ///< [rows + 1]
  View<const Index> col_ind;   ///< [blocks], ascending within a row
  View<T> values;              ///< [blocks, height, width]

  TESSERA_HD Offset numbers() const { return Offset{height} * width; }
  template <class U>
  NodeMatrixView<U> with(View<U> other) const {
    return {rows, cols, height, width, row_ptr, col_ind, other};
  }
  /// Which blocks there are, with a number for each as a matrix of numbers has it.
  template <class U>
  linalg::CrsView<U> pattern(View<U> numbers) const {
    return {rows, cols, row_ptr, col_ind, numbers};
  }
};

/// The same with arrays of its own. height width numbers and 4 B a block, 8 B a row.
template <class Space, class T>
struct NodeMatrix {
  Index rows = 0, cols = 0;
  int height = 1, width = 1;
  Array<Offset, Space> row_ptr;
  Array<Index, Space> col_ind;
  Array<T, Space> values;

  NodeMatrix() = default;
  /// In the pattern of a matrix of numbers, without values.
  template <class U>
  NodeMatrix(linalg::Crs<Space, U>&& pattern, int height, int width)
      : rows(pattern.rows),
        cols(pattern.cols),
        height(height),
        width(width),
        row_ptr(std::move(pattern.row_ptr)),
        col_ind(std::move(pattern.col_ind)) {}
  Offset entries() const { return col_ind.size() * height * width; }
  void allocate_values() { values = Array<T, Space>(entries()); }
  NodeMatrixView<T> view() { return {rows, cols, height, width, row_ptr.view(), col_ind.view(), values.view()}; }
  NodeMatrixView<const T> view() const {
    return {rows, cols, height, width, row_ptr.view(), col_ind.view(), values.view()};
  }
};

/// A square one in block rows as linalg has it.
inline NodeMatrixView<const double> as_node_matrix(const linalg::BlockCrsView<const double>& A) {
  return {A.block_rows(), A.cols / A.block, A.block, A.block, A.row_ptr, A.col_ind, A.values};
}

/// Values of its own in the pattern of another matrix, which must outlive it.
template <class Space, class V>
struct NodeValues {
  NodeMatrixView<const V> pattern;  ///< without values
  Array<V, Space> values;
  NodeMatrixView<const V> view() const { return pattern.with(values.view()); }
};

/// Blocks on the diagonal, [nodes, block, block].
template <class V>
struct NodeDiagonalView {
  int block = 1;
  View<const V> values;
};
template <class Space, class V>
struct NodeDiagonal {
  int block = 1;
  Array<V, Space> values;
  NodeDiagonalView<V> view() const { return {block, values.view()}; }
};

/// of(height, width) with the shape of blocks as constants, where it is one of elasticity's: 2 or 3 unknowns a node on
/// the finest level and 3 or 6 below. Constants of 0 say that it is read at run time.
template <class F>
void with_node_shape(int height, int width, F of) {
  const auto call = [&]<int h, int w> { of(std::integral_constant<int, h>{}, std::integral_constant<int, w>{}); };
  switch (height * 8 + width) {
    case 2 * 8 + 2: return call.template operator()<2, 2>();
    case 3 * 8 + 3: return call.template operator()<3, 3>();
    case 6 * 8 + 6: return call.template operator()<6, 6>();
    case 2 * 8 + 3: return call.template operator()<2, 3>();
    case 3 * 8 + 2: return call.template operator()<3, 2>();
    case 3 * 8 + 6: return call.template operator()<3, 6>();
    case 6 * 8 + 3: return call.template operator()<6, 3>();
    default: return call.template operator()<0, 0>();
  }
}

/// Unknowns of a node at most, as linalg::largest_inverted_block.
inline constexpr int most_unknowns = 16;

}  // namespace tessera::solvers::amg
