#pragma once
#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

/// CRS has the same functions with kernels of its own: spmv.hpp, vector_ops.hpp.
template <class A>
inline constexpr bool is_crs = false;
template <class T>
inline constexpr bool is_crs<CrsView<T>> = true;

/// What a kernel takes of a format other than CRS, with values that are only read: EllView, SlicedEllView,
/// PackedEllView, CmrsView, BlockCrsView, BlockSlicedEllView.
template <class A>
concept FormatView = !is_crs<A> && requires(A a) {
  typename A::Scalar;
  A::format;
  a.rows;
  requires std::is_same_v<decltype(a.values), View<const typename A::Scalar>>;
};
/// A matrix of scalars stored in such a format: Ell, SlicedEll, PackedEll, Cmrs. Those of blocks: block_ops.hpp.
template <class M>
concept FormatMatrix = requires(const M m) {
  { m.view() } -> FormatView;
}
&&!requires(const M m) { m.view().block; };

// Every format has these, on Threads and Cuda, in double and float. Sums of a row have an order that does not depend on
// the number of threads, so that results are bitwise repeatable. Padding is never multiplied: entries of x that no row
// names do not matter, be they infinite. Least bytes of a product: stored_bytes() of the matrix + x + y. `added`: see
// spmv.hpp; for block rows [rows, block], a block diagonal: entry c of a row in the column of unknown c of its node.

/// y = A x; x [cols], y [rows], distinct.
template <class Exec, FormatView A>
void spmv(Exec& exec, const A& a, View<const typename A::Scalar> x, View<typename A::Scalar> y,
          View<const typename A::Scalar> added = {});

/// q = A p and *pq = (p, q) in one pass; A square. `pq` lives in the backend's space.
template <class Exec, FormatView A>
void spmv_dot(Exec& exec, const A& a, View<const typename A::Scalar> p, View<typename A::Scalar> q, double* pq,
              View<const typename A::Scalar> added = {});

/// r = b - A x and *rr = (r, r) in one pass. `rr` lives in the backend's space.
template <class Exec, FormatView A>
void residual(Exec& exec, const A& a, View<const typename A::Scalar> x, View<const typename A::Scalar> b,
              View<typename A::Scalar> r, double* rr, View<const typename A::Scalar> added = {});

/// diagonal_i = A_ii, 0 where the row has none. [min(rows, cols)]
template <class Exec, FormatView A>
void extract_diagonal(Exec& exec, const A& a, View<typename A::Scalar> diagonal);

/// Values of a matrix of the same pattern take the place of those stored: a numeric refill, without host or allocation.
/// Throws Error(internal) when the sizes show another pattern.
template <class Exec, FormatMatrix M, class T>
void assign_values(Exec& exec, const Crs<typename Exec::Space, T>& from, M& to);

/// Back to CRS, entry for entry.
template <class Exec, FormatMatrix M>
auto to_crs(Exec& exec, const M& from) -> Crs<typename Exec::Space, typename M::Scalar>;

}  // namespace tessera::linalg
