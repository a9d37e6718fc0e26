#pragma once
// Kernels of ghost_product.hpp, written once.
#include "base/parallel.hpp"
#include "linalg/ghost_product.hpp"

namespace tessera::linalg {
namespace detail {

template <class T>
TESSERA_HD inline T ghost_row(const CrsView<const T>& A, const View<const T>& g, Offset row) {
  T sum = 0;
  for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) sum += A.values[k] * g[A.col_ind[k]];
  return sum;
}

}  // namespace detail

template <class Exec, class T>
void add_ghost_product(Exec& exec, const CrsView<const T>& A, View<const T> g, View<T> y) {
  for_each(exec, A.rows, [=] TESSERA_HD(Offset row) { y[row] += detail::ghost_row(A, g, row); });
}

template <class Exec, class T>
void add_ghost_product_dot(Exec& exec, const CrsView<const T>& A, View<const T> g, View<const T> p, View<T> q,
                           double* pq) {
  if (A.rows == 0) return;
  // What is there already goes in with the first row; the sum is written after all rows are done.
  reduce(
      exec, A.rows,
      [=] TESSERA_HD(Offset row) {
        const T sum = detail::ghost_row(A, g, row);
        q[row] += sum;
        return static_cast<double>(p[row]) * sum + (row == 0 ? *pq : 0.0);
      },
      pq);
}

template <class Exec, class T>
void gather_rows(Exec& exec, View<const Index> rows, View<const T> x, View<T> to) {
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) { to[k] = x[rows[k]]; });
}

template <class Exec, class T>
void add_to_rows(Exec& exec, View<const Index> rows, View<const T> from, View<T> y) {
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) { y[rows[k]] += from[k]; });
}

#define TESSERA_INSTANTIATE_GHOST_PRODUCT(Exec, T)                                         \
  template void add_ghost_product(Exec&, const CrsView<const T>&, View<const T>, View<T>); \
  template void gather_rows(Exec&, View<const Index>, View<const T>, View<T>);             \
  template void add_to_rows(Exec&, View<const Index>, View<const T>, View<T>);             \
  template void add_ghost_product_dot(Exec&, const CrsView<const T>&, View<const T>, View<const T>, View<T>, double*)

}  // namespace tessera::linalg
