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

/// q_rows[k] += term(k) and *pq += (p_rows, term). What is there already goes in with the first row; the sum is written
/// after all rows are done.
template <class Exec, class T, class Term>
void add_terms_dot(Exec& exec, View<const Index> rows, View<const T> p, View<T> q, double* pq, Term term) {
  if (rows.size() == 0) return;
  reduce(
      exec, rows.size(),
      [=] TESSERA_HD(Offset k) {
        const Index row = rows[k];
        const T value = term(k);
        q[row] += value;
        return static_cast<double>(p[row]) * value + (k == 0 ? *pq : 0.0);
      },
      pq);
}

// Without `finish`, where the link lets kernels wait; false: it does not.
template <class T>
bool add_arriving(Threads&, double, const CrsView<const T>&, Halo<Threads>&, View<T>) {
  return false;
}
template <class T>
bool add_arriving_dot(Threads&, const CrsView<const T>&, Halo<Threads>&, View<const T>, View<T>, double*) {
  return false;
}
template <class T>
bool add_arriving(Cuda& exec, double factor, const CrsView<const T>& A, Halo<Cuda>& halo, View<T> y);
template <class T>
bool add_arriving_dot(Cuda& exec, const CrsView<const T>& A, Halo<Cuda>& halo, View<const T> p, View<T> q, double* pq);

}  // namespace detail

template <class Exec, class T>
void add_ghost_product(Exec& exec, double factor, const CrsView<const T>& A, Halo<Exec>& halo, View<T> y) {
  if (detail::add_arriving(exec, factor, A, halo, y)) return;
  const View<const T> g = halo.template finish<T>(exec);
  const View<const Index> rows = halo.boundary();
  const T a = static_cast<T>(factor);
  for_each(exec, A.rows, [=] TESSERA_HD(Offset k) { y[rows[k]] += a * detail::ghost_row(A, g, k); });
}

template <class Exec, class T>
void add_ghost_product_dot(Exec& exec, const CrsView<const T>& A, Halo<Exec>& halo, View<const T> p, View<T> q,
                           double* pq) {
  if (detail::add_arriving_dot(exec, A, halo, p, q, pq)) return;
  const View<const T> g = halo.template finish<T>(exec);
  detail::add_terms_dot(exec, halo.boundary(), p, q, pq,
                        [=] TESSERA_HD(Offset k) { return detail::ghost_row(A, g, k); });
  sum_over_ranks(exec, {{pq}});
}

template <class Exec, class T>
void gather_rows(Exec& exec, View<const Index> rows, View<const T> x, View<T> to) {
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) { to[k] = x[rows[k]]; });
}

template <class Exec, class T>
void add_to_rows(Exec& exec, View<const Index> rows, View<const T> from, View<T> y, double factor) {
  const T a = static_cast<T>(factor);
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) { y[rows[k]] += a * from[k]; });
}

template <class Exec, class T>
void add_to_rows_dot(Exec& exec, View<const Index> rows, View<const T> from, View<const T> p, View<T> q, double* pq) {
  detail::add_terms_dot(exec, rows, p, q, pq, [=] TESSERA_HD(Offset k) { return from[k]; });
}

#define TESSERA_INSTANTIATE_GHOST_PRODUCT(Exec, T)                                                         \
  template void add_ghost_product(Exec&, double, const CrsView<const T>&, Halo<Exec>&, View<T>);           \
  template void gather_rows(Exec&, View<const Index>, View<const T>, View<T>);                             \
  template void add_to_rows(Exec&, View<const Index>, View<const T>, View<T>, double);                     \
  template void add_to_rows_dot(Exec&, View<const Index>, View<const T>, View<const T>, View<T>, double*); \
  template void add_ghost_product_dot(Exec&, const CrsView<const T>&, Halo<Exec>&, View<const T>, View<T>, double*)

}  // namespace tessera::linalg
