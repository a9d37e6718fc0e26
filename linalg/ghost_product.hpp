#pragma once
#include "base/backend.hpp"
#include "linalg/crs.hpp"
#include "linalg/halo.hpp"

namespace tessera::linalg {

// What ghosts add to a product that a rank has made of its own part. Every function is one pass and exists for Threads
// and Cuda, in double and float. Rows are some of a vector's, distinct. A [rows, ghosts] has a few entries in each: 12
// B each, and 28 B a row, 36 B with a sum.

/// Waits for the ghosts g of the exchange under way; y_rows += factor A g, for the rows of `Halo::boundary`.
template <class Exec, class T>
void add_ghost_product(Exec& exec, double factor, const CrsView<const T>& A, Halo<Exec>& halo, View<T> y);
/// The same with q_rows += A g; *pq becomes the sum over ranks of *pq + (p_rows, A g).
template <class Exec, class T>
void add_ghost_product_dot(Exec& exec, const CrsView<const T>& A, Halo<Exec>& halo, View<const T> p, View<T> q,
                           double* pq);

/// to_k = x_rows[k].
template <class Exec, class T>
void gather_rows(Exec& exec, View<const Index> rows, View<const T> x, View<T> to);
/// y_rows[k] += factor from_k.
template <class Exec, class T>
void add_to_rows(Exec& exec, View<const Index> rows, View<const T> from, View<T> y, double factor = 1);
/// q_rows[k] += from_k and *pq += (p_rows, from), of this rank alone.
template <class Exec, class T>
void add_to_rows_dot(Exec& exec, View<const Index> rows, View<const T> from, View<const T> p, View<T> q, double* pq);

}  // namespace tessera::linalg
