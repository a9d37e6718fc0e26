#pragma once
// Conversions of the formats of block rows, written once; instantiated by block_threads.cpp and block_cuda.cu. The
// formats share the view of a matrix as slots, see BlockCrsView.
#include "linalg/block_size.hpp"
#include "linalg/block_sliced_ell.hpp"
#include "linalg/formats_ops_impl.hpp"

namespace tessera::linalg {

template <class Exec, class T>
BlockSlicedEll<typename Exec::Space, T> block_sliced_ell_from_blocks(Exec& exec,
                                                                     const BlockCrs<typename Exec::Space, T>& A,
                                                                     const SortParams& params) {
  using Space = typename Exec::Space;
  const BlockCrsView<const T> from = A.view();
  BlockSlicedEll<Space, T> result;
  result.rows = A.rows;
  result.cols = A.cols;
  result.block = A.block;
  result.blocks = A.blocks();
  result.row_of = order_rows(exec, A.cols / A.block, A.row_ptr, params);
  const Offset slices = slices_of(from.block_rows());
  result.slice_ptr = Array<Offset, Space>(slices + 1);
  const View<Offset> counts = result.slice_ptr;
  const View<const Index> row_of = std::as_const(result.row_of).view();
  for_each(exec, slices + 1, [=] TESSERA_HD(Offset slice) {
    counts[slice] = static_cast<Offset>(longest_of_slice(from.row_ptr, row_of, slice)) * slice_height;
  });
  const Offset blocks = counts_to_offsets(exec, counts);
  result.col_ind = Array<Index, Space>(blocks);
  result.values = Array<T, Space>(blocks * A.block * A.block);
  const View<Index> col_ind = result.col_ind;
  const BlockSlicedEllView<T> to = result.view();
  for_each(exec, to.block_slots(), [=] TESSERA_HD(Offset slot) {
    const Index row = to.block_row(slot), length = row < 0 ? 0 : from.width(row);
    Offset place = to.slice_ptr[slot / slice_height] + slot % slice_height;
    for (Index k = 0; k < to.width(slot); ++k, place += slice_height)
      col_ind[place] = k < length ? from.column(row, k) : -1;
  });
  assign_values(exec, A, result);
  return result;
}

template <class Exec, class T>
void assign_values(Exec& exec, const BlockCrs<typename Exec::Space, T>& A,
                   BlockSlicedEll<typename Exec::Space, T>& stored) {
  require_same_sizes(A.rows, A.cols, A.nnz(), stored.rows, stored.cols, stored.nnz());
  const BlockCrsView<const T> from = A.view();
  const BlockSlicedEllView<T> to = std::as_const(stored).view();
  const View<T> values = stored.values;
  const int numbers = A.block * A.block;
  for_each(exec, to.block_slots(), [=] TESSERA_HD(Offset slot) {
    const Index row = to.block_row(slot), length = row < 0 ? 0 : from.width(row);
    for (Index k = 0; k < to.width(slot); ++k) {
      const Offset place = to.place(slot, k), source = k < length ? from.place(row, k) : 0;
      for (int e = 0; e < numbers; ++e) values[place + e * slice_height] = k < length ? from.values[source + e] : T{0};
    }
  });
}

template <class Exec, FormatView A>
requires BlockFormatView<A>
void diagonal_of(Exec& exec, const A& a, View<typename A::Scalar> diagonal) {
  for_each(exec, a.block_slots(), [=] TESSERA_HD(Offset slot) {
    const Index row = a.block_row(slot);
    if (row < 0) return;
    const Offset first = Offset{row} * a.block;
    for (int i = 0; i < a.block && first + i < diagonal.size(); ++i) diagonal[first + i] = 0;
    for (Index k = 0; k < a.width(slot); ++k) {
      if (a.column(slot, k) != row) continue;
      for (int i = 0; i < a.block; ++i) diagonal[first + i] = a.values[a.place(slot, k) + i * (a.block + 1) * a.step()];
    }
  });
}

template <class Exec, BlockFormatView A>
void extract_diagonal_blocks(Exec& exec, const A& a, View<typename A::Scalar> blocks) {
  assert(a.rows == a.cols && blocks.size() == Offset{a.rows} * a.block);
  const int numbers = a.block * a.block;
  for_each(exec, a.block_slots(), [=] TESSERA_HD(Offset slot) {
    const Index row = a.block_row(slot);
    if (row < 0) return;
    const Offset first = Offset{row} * numbers;
    for (int e = 0; e < numbers; ++e) blocks[first + e] = 0;
    for (Index k = 0; k < a.width(slot); ++k) {
      if (a.column(slot, k) != row) continue;
      for (int e = 0; e < numbers; ++e) blocks[first + e] = a.values[a.place(slot, k) + e * a.step()];
    }
  });
}

template <class Exec, BlockFormatView A>
void expand_pattern(Exec& exec, const A& from, Crs<typename Exec::Space, typename A::Scalar>& to) {
  using Space = typename Exec::Space;
  to.rows = to.cols = 0;  // until it has its arrays
  to.row_ptr = Array<Offset, Space>(Offset{from.rows} + 1);
  to.row_ptr.set_zero();
  const View<Offset> row_ptr = to.row_ptr;
  for_each(exec, from.block_slots(), [=] TESSERA_HD(Offset slot) {
    const Index row = from.block_row(slot);
    if (row < 0) return;
    Offset blocks = 0;
    for (Index k = 0; k < from.width(slot); ++k) blocks += from.column(slot, k) >= 0;
    for (int i = 0; i < from.block; ++i) row_ptr[Offset{row} * from.block + i] = blocks * from.block;
  });
  const Offset nnz = counts_to_offsets(exec, row_ptr);
  to.col_ind = Array<Index, Space>(nnz);
  to.values = Array<typename A::Scalar, Space>(nnz);
  to.rows = from.rows;
  to.cols = from.cols;
  const View<Index> col_ind = to.col_ind;
  for_each(exec, from.block_slots(), [=] TESSERA_HD(Offset slot) {
    const Index row = from.block_row(slot);
    if (row < 0) return;
    for (int i = 0; i < from.block; ++i) {
      Offset entry = row_ptr[Offset{row} * from.block + i];
      for (Index k = 0; k < from.width(slot); ++k) {
        const Index col = from.column(slot, k);
        if (col < 0) break;  // padding ends a row
        for (int j = 0; j < from.block; ++j) col_ind[entry++] = col * from.block + j;
      }
    }
  });
}

template <class Exec, BlockFormatView A>
void expand_values(Exec& exec, const A& from, Crs<typename Exec::Space, typename A::Scalar>& to) {
  assert(to.rows == from.rows && to.cols == from.cols);
  const View<const Offset> row_ptr = std::as_const(to.row_ptr).view();
  const View<typename A::Scalar> values = to.values;
  for_each(exec, from.block_slots(), [=] TESSERA_HD(Offset slot) {
    const Index row = from.block_row(slot);
    if (row < 0) return;
    for (int i = 0; i < from.block; ++i) {
      Offset entry = row_ptr[Offset{row} * from.block + i];
      const Offset end = row_ptr[Offset{row} * from.block + i + 1];
      for (Index k = 0; entry < end; ++k)
        for (int j = 0; j < from.block; ++j)
          values[entry++] = from.values[from.place(slot, k) + (i * from.block + j) * from.step()];
    }
  });
}

template <class Exec, BlockMatrix M>
auto to_crs(Exec& exec, const M& from) -> Crs<typename Exec::Space, typename M::Scalar> {
  Crs<typename Exec::Space, typename M::Scalar> result;
  expand_pattern(exec, from.view(), result);
  expand_values(exec, from.view(), result);
  return result;
}

/// What macros of one argument take for a view of blocks that is only read.
template <class T>
using ConstBlockCrsView = BlockCrsView<const T>;

#define TESSERA_INSTANTIATE_BLOCK_VIEW(Exec, A, T)                                 \
  TESSERA_INSTANTIATE_PRODUCTS(Exec, A, T);                                        \
  template void extract_diagonal(Exec&, const A<T>&, View<T>);                     \
  template void extract_diagonal_blocks(Exec&, const A<T>&, View<T>);              \
  template void expand_pattern(Exec&, const A<T>&, Crs<typename Exec::Space, T>&); \
  template void expand_values(Exec&, const A<T>&, Crs<typename Exec::Space, T>&)

/// One line instantiates the formats of block rows for a backend and a type.
#define TESSERA_INSTANTIATE_BLOCKS(Exec, T)                                                            \
  TESSERA_INSTANTIATE_BLOCK_VIEW(Exec, ConstBlockCrsView, T);                                          \
  TESSERA_INSTANTIATE_BLOCK_VIEW(Exec, BlockSlicedEllView, T);                                         \
  template Crs<typename Exec::Space, T> to_crs(Exec&, const BlockCrs<typename Exec::Space, T>&);       \
  template Crs<typename Exec::Space, T> to_crs(Exec&, const BlockSlicedEll<typename Exec::Space, T>&); \
  template void assign_values(Exec&, const BlockCrs<typename Exec::Space, T>&,                         \
                              BlockSlicedEll<typename Exec::Space, T>&);                               \
  template BlockSlicedEll<typename Exec::Space, T> block_sliced_ell_from_blocks(                       \
      Exec&, const BlockCrs<typename Exec::Space, T>&, const SortParams&)

}  // namespace tessera::linalg
