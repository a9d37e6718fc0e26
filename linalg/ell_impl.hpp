#pragma once
// Conversions of plain, sliced and packed ELL, written once; instantiated by ell_threads.cpp and ell_cuda.cu. The three
// share the view of a matrix as slots: entry k of a slot stands at first(slot) + k * step().
#include "linalg/ell.hpp"
#include "linalg/formats_ops_impl.hpp"
#include "linalg/packed_ell.hpp"
#include "linalg/sliced_ell.hpp"

namespace tessera::linalg {
namespace detail {

template <class A>
concept EllLike = requires(const A a) {
  a.slots();
};

/// Writes columns and values of a matrix whose rows end in padding (plain and sliced ELL).
template <class Exec, class A, class T>
void fill_rows(Exec& exec, const A& a, CrsView<const T> from, View<Index> col_ind, View<T> values) {
  for_each(exec, a.slots(), [=] TESSERA_HD(Offset slot) {
    const Index row = a.row(slot), width = a.width(slot);
    const Offset begin = row < 0 ? 0 : from.row_ptr[row], length = row < 0 ? 0 : from.row_ptr[row + 1] - begin;
    Offset place = a.first(slot);
    for (Index k = 0; k < width; ++k, place += a.step()) {
      col_ind[place] = k < length ? from.col_ind[begin + k] : -1;
      values[place] = k < length ? from.values[begin + k] : T{0};
    }
  });
}

}  // namespace detail

template <class Exec, class T>
Ell<typename Exec::Space, T> ell_from_crs(Exec& exec, const Crs<typename Exec::Space, T>& A) {
  const RowLengths lengths = row_lengths(exec, A.cols, A.row_ptr);
  Ell<typename Exec::Space, T> result;
  result.rows = A.rows;
  result.cols = A.cols;
  result.nnz = A.nnz();
  result.columns = lengths.longest;
  result.stride = A.rows < slice_height ? A.rows : slices_of(A.rows) * slice_height;
  const Offset entries = result.stride * result.columns;
  require_little_padding("ell", lengths, entries, sizeof(T) + sizeof(Index), sizeof(T) + sizeof(Index));
  result.col_ind = Array<Index, typename Exec::Space>(entries);
  result.values = Array<T, typename Exec::Space>(entries);
  result.starts = Array<Offset, typename Exec::Space>(1);
  result.starts.set_zero();
  detail::fill_rows(exec, result.view(), A.view(), result.col_ind.view(), result.values.view());
  return result;
}

template <class Exec, class T>
SlicedEll<typename Exec::Space, T> sliced_ell_from_crs(Exec& exec, const Crs<typename Exec::Space, T>& A,
                                                       const SortParams& params) {
  SlicedEll<typename Exec::Space, T> result;
  result.rows = A.rows;
  result.cols = A.cols;
  result.nnz = A.nnz();
  result.row_of = order_rows(exec, A.cols, A.row_ptr, params);
  const Offset slices = slices_of(A.rows);
  result.slice_ptr = Array<Offset, typename Exec::Space>(slices + 1);
  const View<Offset> counts = result.slice_ptr;
  const View<const Offset> row_ptr = A.row_ptr;
  const View<const Index> row_of = std::as_const(result.row_of).view();
  for_each(exec, slices + 1, [=] TESSERA_HD(Offset slice) {
    counts[slice] = static_cast<Offset>(longest_of_slice(row_ptr, row_of, slice)) * slice_height;
  });
  const Offset entries = counts_to_offsets(exec, counts);
  result.col_ind = Array<Index, typename Exec::Space>(entries);
  result.values = Array<T, typename Exec::Space>(entries);
  detail::fill_rows(exec, result.view(), A.view(), result.col_ind.view(), result.values.view());
  return result;
}

template <class Exec, FormatView A>
requires detail::EllLike<A>
void diagonal_of(Exec& exec, const A& a, View<typename A::Scalar> diagonal) {
  for_each(exec, a.slots(), [=] TESSERA_HD(Offset slot) {
    const Index row = a.row(slot), width = a.width(slot);
    if (row < 0 || row >= diagonal.size()) return;
    typename A::Scalar value = 0;
    for (Index k = 0; k < width; ++k)
      if (a.column(slot, k) == row) value = a.values[a.first(slot) + k * a.step()];
    diagonal[row] = value;
  });
}

template <class Exec, class A, class T>
requires detail::EllLike<A>
void refill(Exec& exec, const A& a, CrsView<const T> from, View<T> values) {
  for_each(exec, a.slots(), [=] TESSERA_HD(Offset slot) {
    const Index row = a.row(slot), width = a.width(slot);
    Offset entry = row < 0 ? 0 : from.row_ptr[row], place = a.first(slot);
    for (Index k = 0; k < width; ++k, place += a.step())
      values[place] = row >= 0 && a.column(slot, k) >= 0 ? from.values[entry++] : T{0};
  });
}

template <class Exec, class A>
requires detail::EllLike<A>
void count_rows(Exec& exec, const A& a, View<Offset> counts) {
  for_each(exec, a.slots(), [=] TESSERA_HD(Offset slot) {
    const Index row = a.row(slot), width = a.width(slot);
    if (row < 0) return;
    Offset count = 0;
    for (Index k = 0; k < width; ++k) count += a.column(slot, k) >= 0;
    counts[row] = count;
  });
}

template <class Exec, class A, class T>
requires detail::EllLike<A>
void copy_rows(Exec& exec, const A& a, View<const Offset> row_ptr, View<Index> col_ind, View<T> values) {
  for_each(exec, a.slots(), [=] TESSERA_HD(Offset slot) {
    const Index row = a.row(slot), width = a.width(slot);
    if (row < 0) return;
    Offset entry = row_ptr[row], place = a.first(slot);
    for (Index k = 0; k < width; ++k, place += a.step()) {
      const Index col = a.column(slot, k);
      if (col < 0) continue;
      col_ind[entry] = col;
      values[entry++] = a.values[place];
    }
  });
}

}  // namespace tessera::linalg
