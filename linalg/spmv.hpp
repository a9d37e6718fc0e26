#pragma once
#include <type_traits>

#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

// Sparse matrix times vector in CRS; A [rows, cols], any shape, empty rows allowed. T = double or float, deduced from
// the vector that is written (pass a View); sums that leave a kernel are double. Least bytes a row, k non-zeros in it,
// in double: 12 k + 8 (row_ptr) + 8 (x, each entry read once) + 8 (y); in float 8 k + 8 + 4 + 4. Every row is summed in
// the same way whatever the number of threads, so results are bitwise repeatable. Each function exists for Threads and
// Cuda; sizes are the caller's duty (asserted in debug builds). Where `added` [rows] is given, A stands for A + D with
// the diagonal D of these entries, which costs one of them a row; A square.

/// y = A x; x [cols], y [rows], distinct.
template <class Exec, class T>
void spmv(Exec& exec, const std::type_identity_t<CrsView<const T>>& A, std::type_identity_t<View<const T>> x, View<T> y,
          std::type_identity_t<View<const T>> added = {});

/// q = A p and *pq = (p, q) in one pass; A square. `pq` lives in the backend's space.
template <class Exec, class T>
void spmv_dot(Exec& exec, const std::type_identity_t<CrsView<const T>>& A, std::type_identity_t<View<const T>> p,
              View<T> q, double* pq, std::type_identity_t<View<const T>> added = {});

/// r = b - A x and *rr = (r, r) in one pass. `rr` lives in the backend's space.
template <class Exec, class T>
void residual(Exec& exec, const std::type_identity_t<CrsView<const T>>& A, std::type_identity_t<View<const T>> x,
              std::type_identity_t<View<const T>> b, View<T> r, double* rr,
              std::type_identity_t<View<const T>> added = {});

/// Least bytes of one product, x and y included.
template <class T>
double crs_bytes(Index rows, Index cols, Offset nnz) {
  return (sizeof(T) + sizeof(Index)) * static_cast<double>(nnz) + sizeof(Offset) * static_cast<double>(rows) +
         sizeof(T) * (static_cast<double>(rows) + cols);
}

}  // namespace tessera::linalg
