#pragma once
// What formats_ops.hpp declares, in terms of a few functions that every format has:
//   product(exec, a, x, use, result)   calls use(row, (A x)_row) once a row and adds up what `use` returns
//   diagonal_of, refill, count_rows, copy_rows   walk the stored entries
#include <cassert>
#include <type_traits>
#include <utility>

#include "base/parallel.hpp"
#include "linalg/added_diagonal.hpp"
#include "linalg/block_ops.hpp"
#include "linalg/convert.hpp"
#include "linalg/formats_ops.hpp"

namespace tessera::linalg {
namespace detail {

/// What products with a format add.
template <class A>
using AddedTo =
    std::conditional_t<BlockFormatView<A>, AddedBlocks<typename A::Scalar>, AddedDiagonal<typename A::Scalar>>;

/// y = A x
template <class T, class Added>
struct Product {
  static constexpr bool reduces = false;
  Added dx;
  T* y;
  TESSERA_HD double operator()(Offset row, T ax) const {
    y[row] = ax + dx(row);
    return 0;
  }
};
/// q = A p, sum p q
template <class T, class Added>
struct ProductDot {
  static constexpr bool reduces = true;
  Added dp;
  const T* p;
  T* q;
  TESSERA_HD double operator()(Offset row, T ap) const {
    ap += dp(row);
    q[row] = ap;
    return static_cast<double>(p[row]) * ap;
  }
};
/// r = b - A x, sum r r
template <class T, class Added>
struct Residual {
  static constexpr bool reduces = true;
  Added dx;
  const T* b;
  T* r;
  TESSERA_HD double operator()(Offset row, T ax) const {
    const T difference = b[row] - (ax + dx(row));
    r[row] = difference;
    return static_cast<double>(difference) * difference;
  }
};

}  // namespace detail

template <class Exec, FormatView A>
void spmv(Exec& exec, const A& a, View<const typename A::Scalar> x, View<typename A::Scalar> y,
          View<const typename A::Scalar> added) {
  assert(x.size() == a.cols && y.size() == a.rows);
  product(exec, a, x, detail::Product<typename A::Scalar, detail::AddedTo<A>>{{added, x}, y.data()}, nullptr);
}

template <class Exec, FormatView A>
void spmv_dot(Exec& exec, const A& a, View<const typename A::Scalar> p, View<typename A::Scalar> q, double* pq,
              View<const typename A::Scalar> added) {
  assert(a.rows == a.cols && p.size() == a.cols && q.size() == a.rows);
  product(exec, a, p, detail::ProductDot<typename A::Scalar, detail::AddedTo<A>>{{added, p}, p.data(), q.data()}, pq);
}

template <class Exec, FormatView A>
void residual(Exec& exec, const A& a, View<const typename A::Scalar> x, View<const typename A::Scalar> b,
              View<typename A::Scalar> r, double* rr, View<const typename A::Scalar> added) {
  assert(x.size() == a.cols && b.size() == a.rows && r.size() == a.rows);
  product(exec, a, x, detail::Residual<typename A::Scalar, detail::AddedTo<A>>{{added, x}, b.data(), r.data()}, rr);
}

template <class Exec, FormatView A>
void extract_diagonal(Exec& exec, const A& a, View<typename A::Scalar> diagonal) {
  assert(diagonal.size() == (a.rows < a.cols ? a.rows : a.cols));
  diagonal_of(exec, a, diagonal);
}

template <class Exec, FormatMatrix M, class T>
void assign_values(Exec& exec, const Crs<typename Exec::Space, T>& from, M& to) {
  require_same_sizes(from.rows, from.cols, from.nnz(), to.rows, to.cols, to.nnz);
  refill(exec, std::as_const(to).view(), from.view(), to.values.view());
}

template <class Exec, FormatMatrix M>
auto to_crs(Exec& exec, const M& from) -> Crs<typename Exec::Space, typename M::Scalar> {
  using Space = typename Exec::Space;
  Crs<Space, typename M::Scalar> result;
  result.rows = from.rows;
  result.cols = from.cols;
  result.row_ptr = Array<Offset, Space>(Offset{from.rows} + 1);
  result.row_ptr.set_zero();
  result.col_ind = Array<Index, Space>(from.nnz);
  result.values = Array<typename M::Scalar, Space>(from.nnz);
  count_rows(exec, from.view(), result.row_ptr.view());
  counts_to_offsets(exec, result.row_ptr.view());
  copy_rows(exec, from.view(), std::as_const(result.row_ptr).view(), result.col_ind.view(), result.values.view());
  return result;
}

/// One line instantiates the products of a format for a backend.
#define TESSERA_INSTANTIATE_PRODUCTS(Exec, A, T)                                              \
  template void spmv(Exec&, const A<T>&, View<const T>, View<T>, View<const T>);              \
  template void spmv_dot(Exec&, const A<T>&, View<const T>, View<T>, double*, View<const T>); \
  template void residual(Exec&, const A<T>&, View<const T>, View<const T>, View<T>, double*, View<const T>)

/// And its conversions.
#define TESSERA_INSTANTIATE_CONVERSIONS(Exec, M, T)                                                     \
  template void extract_diagonal(Exec&, const M##View<T>&, View<T>);                                    \
  template void assign_values(Exec&, const Crs<typename Exec::Space, T>&, M<typename Exec::Space, T>&); \
  template Crs<typename Exec::Space, T> to_crs(Exec&, const M<typename Exec::Space, T>&)

}  // namespace tessera::linalg
