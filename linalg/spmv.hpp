#pragma once
#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

// Sparse matrix times vector in CRS, double precision; A [rows, cols], any shape, empty rows allowed.
// Least bytes a row, k non-zeros in it: 12 k + 8 (row_ptr) + 8 (x, each entry read once) + 8 (y).
// Every row is summed in the same way whatever the number of threads, so results are bitwise repeatable.
// Each function exists for Threads and Cuda; sizes are the caller's duty (asserted in debug builds).

/// y = A x; x [cols], y [rows], distinct.
template <class Exec>
void spmv(Exec& exec, const CrsView<const double>& A, View<const double> x, View<double> y);

/// q = A p and *pq = (p, q) in one pass; A square. `pq` lives in the backend's space.
template <class Exec>
void spmv_dot(Exec& exec, const CrsView<const double>& A, View<const double> p, View<double> q, double* pq);

/// r = b - A x and *rr = (r, r) in one pass. `rr` lives in the backend's space.
template <class Exec>
void residual(Exec& exec, const CrsView<const double>& A, View<const double> x, View<const double> b, View<double> r,
              double* rr);

}  // namespace tessera::linalg
