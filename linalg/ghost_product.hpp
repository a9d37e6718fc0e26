#pragma once
#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

// What ghosts add to a product that a rank has made of its own columns, in one pass. A [rows, ghosts] has a few entries
// in each row: 12 B each, and 24 B a row. Every function exists for Threads and Cuda, in double and float.

/// y += A g.
template <class Exec, class T>
void add_ghost_product(Exec& exec, const CrsView<const T>& A, View<const T> g, View<T> y);
/// q += A g and *pq += (p, A g), of this rank alone.
template <class Exec, class T>
void add_ghost_product_dot(Exec& exec, const CrsView<const T>& A, View<const T> g, View<const T> p, View<T> q,
                           double* pq);

}  // namespace tessera::linalg
