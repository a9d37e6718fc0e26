#include <algorithm>
#include <cassert>
#include <vector>

#include "base/team.hpp"
#include "linalg/added_diagonal.hpp"
#include "linalg/prefetch.hpp"
#include "linalg/spmv.hpp"

namespace tessera::linalg {
namespace {

// Rows are handed out in chunks of this many, so that the partial sums of a fused dot do not depend on the thread
// count.
constexpr Offset row_chunk = 512;

/// Sum of one row. Two accumulators, fixed order: short rows (7 to 30) gain nothing from gathers, and the next row
/// overlaps with this one.
template <class T>
inline T row_sum(const Index* __restrict__ col_ind, const T* __restrict__ values, const T* __restrict__ x, Offset first,
                 Offset last) {
  detail::prefetch(col_ind + first, last - first);
  detail::prefetch(values + first, last - first);
  T even = 0, odd = 0;
  Offset k = first;
  for (; k + 1 < last; k += 2) {
    even += values[k] * x[col_ind[k]];
    odd += values[k + 1] * x[col_ind[k + 1]];
  }
  if (k < last) even += values[k] * x[col_ind[k]];
  return even + odd;
}

/// Calls f(row, ((A + D) x)_row) for all rows; threads get whole chunks with about equal numbers of non-zeros. `adds`:
/// whether there is a D. Returns the sum of the values of f, added chunk by chunk in their order.
template <bool adds, class T, class F>
double for_rows(Threads& exec, const CrsView<const T>& A, View<const T> added, View<const T> x, F f) {
  const Offset rows = A.rows;
  if (rows == 0) return 0;
  const Offset chunks = (rows + row_chunk - 1) / row_chunk;
  const Offset* row_ptr = A.row_ptr.data();
  std::vector<double> sums(static_cast<std::size_t>(chunks));
  auto first_chunk_of = [&](int thread, int threads) {
    if (thread == threads) return chunks;
    const Offset nnz_before = row_ptr[rows] / threads * thread;
    const Offset row = std::lower_bound(row_ptr, row_ptr + rows, nnz_before) - row_ptr;
    return thread == 0 ? Offset{0} : (row + row_chunk / 2) / row_chunk;
  };
  const AddedDiagonal<T> dx(added, x);
  const int threads = static_cast<int>(std::min<Offset>(exec.count(), chunks));
  parallel(threads, [&, dx](int part) {
    const Offset begin = first_chunk_of(part, threads), end = first_chunk_of(part + 1, threads);
    for (Offset chunk = begin; chunk < end; ++chunk) {
      double sum = 0;
      const Offset last = std::min(rows, (chunk + 1) * row_chunk);
      for (Offset row = chunk * row_chunk; row < last; ++row) {
        T ax = row_sum(A.col_ind.data(), A.values.data(), x.data(), row_ptr[row], row_ptr[row + 1]);
        if constexpr (adds) ax += dx(row);
        sum += f(row, ax);
      }
      sums[static_cast<std::size_t>(chunk)] = sum;
    }
  });
  double sum = 0;
  for (double part : sums) sum += part;
  return sum;
}

template <class T, class F>
double for_rows(Threads& exec, const CrsView<const T>& A, View<const T> added, View<const T> x, F f) {
  return added.empty() ? for_rows<false>(exec, A, added, x, f) : for_rows<true>(exec, A, added, x, f);
}

}  // namespace

template <class Exec, class T>
void spmv(Exec& exec, const std::type_identity_t<CrsView<const T>>& A, std::type_identity_t<View<const T>> x, View<T> y,
          std::type_identity_t<View<const T>> added) {
  assert(x.size() == A.cols && y.size() == A.rows);
  for_rows(exec, A, added, x, [=](Offset row, T ax) {
    y[row] = ax;
    return 0.0;
  });
}

template <class Exec, class T>
void spmv_dot(Exec& exec, const std::type_identity_t<CrsView<const T>>& A, std::type_identity_t<View<const T>> p,
              View<T> q, double* pq, std::type_identity_t<View<const T>> added) {
  assert(A.rows == A.cols && p.size() == A.cols && q.size() == A.rows);
  *pq = for_rows(exec, A, added, p, [=](Offset row, T ap) {
    q[row] = ap;
    return static_cast<double>(p[row]) * ap;
  });
}

template <class Exec, class T>
void residual(Exec& exec, const std::type_identity_t<CrsView<const T>>& A, std::type_identity_t<View<const T>> x,
              std::type_identity_t<View<const T>> b, View<T> r, double* rr, std::type_identity_t<View<const T>> added) {
  assert(x.size() == A.cols && b.size() == A.rows && r.size() == A.rows);
  *rr = for_rows(exec, A, added, x, [=](Offset row, T ax) {
    const T difference = b[row] - ax;
    r[row] = difference;
    return static_cast<double>(difference) * difference;
  });
}

#define TESSERA_INSTANTIATE_SPMV(T)                                                                            \
  template void spmv<Threads, T>(Threads&, const CrsView<const T>&, View<const T>, View<T>, View<const T>);    \
  template void spmv_dot<Threads, T>(Threads&, const CrsView<const T>&, View<const T>, View<T>, double*,       \
                                     View<const T>);                                                           \
  template void residual<Threads, T>(Threads&, const CrsView<const T>&, View<const T>, View<const T>, View<T>, \
                                     double*, View<const T>)
TESSERA_INSTANTIATE_SPMV(double);
TESSERA_INSTANTIATE_SPMV(float);

}  // namespace tessera::linalg
