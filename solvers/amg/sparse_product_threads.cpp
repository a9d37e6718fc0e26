#include <algorithm>

#include "base/team.hpp"
#include "solvers/amg/row_sums_threads.hpp"
#include "solvers/amg/sparse_product.hpp"

namespace tessera::solvers::amg {
namespace {

/// Rows of B ahead of which one is brought to the cache: those that a row of A names lie apart.
constexpr Offset rows_ahead = 4;

/// A part of its caller: of a function that does nothing else gcc 12 finds that it does nothing.
template <class T>
[[gnu::always_inline]] inline void bring(const T* first, Offset count) {
  constexpr Offset line = 64 / sizeof(T);
  for (Offset i = 0; i < count; i += line) __builtin_prefetch(first + i);
}
template <class TA, class Rows>
[[gnu::always_inline]] inline void prefetch_row(const linalg::CrsView<const TA>& A, const Rows& B, Offset k,
                                                Offset last) {
  if (k >= last) return;
  const auto row = B[A.col_ind[k]];
  bring(row.col_ind, row.length);
  bring(row.values, row.length);
}

/// Rows of a matrix, by their number.
template <class T>
struct StoredRows {
  linalg::CrsView<const T> matrix;

  linalg::RowEntries<T> operator[](Index row) const {
    const Offset first = matrix.row_ptr[row];
    return {matrix.col_ind.data() + first, matrix.values.data() + first, matrix.row_ptr[row + 1] - first};
  }
};

/// The rows of A B; `cols`: of B. Without `ascending` columns stand as they are met.
template <class TA, class Rows>
ChunkedRows<double> multiply_rows(Threads& exec, const linalg::CrsView<const TA>& A, const Rows& B, Index cols,
                                  bool ascending) {
  return make_rows<double>(exec, A.rows, cols, ascending, [&](RowSums<double>& sums, Offset i) {
    const Offset end = A.row_ptr[i + 1];
    for (Offset k = A.row_ptr[i]; k < end; ++k) {
      prefetch_row(A, B, k + rows_ahead, end);
      sums.add(static_cast<double>(A.values[k]), B[A.col_ind[k]]);
    }
  });
}

template <class TA, class Rows>
void fill_values(Threads& exec, const linalg::CrsView<const TA>& A, const Rows& B, linalg::Crs<Host>& C) {
  const linalg::CrsView<double> c = C.view();
  Scratch<Array<Index>> scratch(exec.count());
  parallel_chunks(exec.count(), A.rows, row_chunk, [&](Offset first, Offset last, int part) {
    // Where the columns of a row stand in it.
    Index* __restrict__ place = scratch.of(part, C.cols).data();
    for (Offset i = first; i < last; ++i) {
      const Offset begin = c.row_ptr[i];
      const Index count = static_cast<Index>(c.row_ptr[i + 1] - begin);
      double* __restrict__ sums = c.values.data() + begin;
      for (Index k = 0; k < count; ++k) {
        place[c.col_ind[begin + k]] = k;
        sums[k] = 0;
      }
      const Offset last_entry = A.row_ptr[i + 1];
      for (Offset k = A.row_ptr[i]; k < last_entry; ++k) {
        prefetch_row(A, B, k + rows_ahead, last_entry);
        const double a = static_cast<double>(A.values[k]);
        const auto row = B[A.col_ind[k]];
        for (Offset e = 0; e < row.length; ++e) sums[place[row.col_ind[e]]] += a * static_cast<double>(row.values[e]);
      }
    }
  });
}

}  // namespace

template <class Exec, class TA, class TB>
linalg::Crs<typename Exec::Space> multiply(Exec& exec, const linalg::CrsView<const TA>& A,
                                           const linalg::CrsView<const TB>& B) {
  return to_crs(exec, multiply_rows(exec, A, StoredRows<TB>{B}, B.cols, true), B.cols);
}
template <class Exec, class TA, class TB>
void multiply_values(Exec& exec, const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B,
                     linalg::Crs<typename Exec::Space>& C) {
  fill_values(exec, A, StoredRows<TB>{B}, C);
}

template <class Exec, class V>
linalg::Crs<typename Exec::Space> galerkin_product(Exec& exec, const linalg::CrsView<const V>& R,
                                                   const linalg::CrsView<const double>& A,
                                                   const linalg::CrsView<const V>& P) {
  const auto multiply_all = [&] {
    const ChunkedRows<double> AP = multiply_rows(exec, A, StoredRows<V>{P}, P.cols, false);
    return multiply_rows(exec, R, AP, P.cols, true);
  };
  return to_crs(exec, multiply_all(), P.cols);
}
template <class Exec, class V>
void galerkin_values(Exec& exec, const linalg::CrsView<const V>& R, const linalg::CrsView<const double>& A,
                     const linalg::CrsView<const V>& P, linalg::Crs<typename Exec::Space>& C) {
  fill_values(exec, R, multiply_rows(exec, A, StoredRows<V>{P}, P.cols, false), C);
}

TESSERA_INSTANTIATE_MULTIPLIES(Threads);

}  // namespace tessera::solvers::amg
