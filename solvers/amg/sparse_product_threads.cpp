#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "base/lower_bound.hpp"
#include "base/team.hpp"
#include "linalg/convert.hpp"
#include "solvers/amg/prolongation.hpp"
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

/// The rows of U P, of which columns stand as they are met. U: what A has above its diagonal, and half of the diagonal.
template <class V>
ChunkedRows<double> multiply_half(Threads& exec, const linalg::CrsView<const double>& A,
                                  const linalg::CrsView<const V>& P) {
  const StoredRows<V> rows{P};
  return make_rows<double>(exec, A.rows, P.cols, false, [&](RowSums<double>& sums, Offset i) {
    const Offset end = A.row_ptr[i + 1];
    for (Offset k = lower_bound(A.col_ind.data(), A.row_ptr[i], end, i); k < end; ++k) {
      prefetch_row(A, rows, k + rows_ahead, end);
      const Index column = A.col_ind[k];
      sums.add(column == i ? 0.5 * A.values[k] : A.values[k], rows[column]);
    }
  });
}

/// Calls take(column, sum) for the columns of a row of A + B, ascending.
template <class Take>
void merge_rows(const linalg::CrsView<const double>& A, const linalg::CrsView<const double>& B, Offset row, Take take) {
  constexpr Index none = std::numeric_limits<Index>::max();
  Offset a = A.row_ptr[row], b = B.row_ptr[row];
  const Offset a_end = A.row_ptr[row + 1], b_end = B.row_ptr[row + 1];
  while (a < a_end || b < b_end) {
    const Index of_a = a < a_end ? A.col_ind[a] : none, of_b = b < b_end ? B.col_ind[b] : none;
    double sum = 0;
    if (of_a <= of_b) sum += A.values[a++];
    if (of_b <= of_a) sum += B.values[b++];
    take(std::min(of_a, of_b), sum);
  }
}
/// G + G^T.
linalg::Crs<Host> plus_transpose(Threads& exec, const linalg::Crs<Host>& G) {
  const linalg::Crs<Host> transposed = transpose(exec, G.view());
  const linalg::CrsView<const double> a = G.view(), b = transposed.view();
  linalg::Crs<Host> C;
  C.rows = C.cols = G.rows;
  C.row_ptr = Array<Offset>(Offset{G.rows} + 1);
  const View<Offset> starts = C.row_ptr;
  for_each(exec, G.rows, [&](Offset row) {
    Offset count = 0;
    merge_rows(a, b, row, [&](Index, double) { ++count; });
    starts[row] = count;
  });
  C.col_ind = Array<Index>(linalg::counts_to_offsets(exec, starts));
  C.values = Array<double>(C.col_ind.size());
  for_each(exec, G.rows, [&](Offset row) {
    Offset next = starts[row];
    merge_rows(a, b, row, [&](Index column, double sum) {
      C.col_ind[next] = column;
      C.values[next++] = sum;
    });
  });
  return C;
}
/// C = G + G^T, where C has the values of G in its own pattern, which is symmetric. Entries that mirror each other are
/// written by the row of the upper one alone.
void add_transpose(Threads& exec, linalg::CrsView<double> C) {
  for_each(exec, C.rows, [&](Offset row) {
    for (Offset k = lower_bound(C.col_ind.data(), C.row_ptr[row], C.row_ptr[row + 1], row); k < C.row_ptr[row + 1];
         ++k) {
      const Index column = C.col_ind[k];
      const Offset other = lower_bound(C.col_ind.data(), C.row_ptr[column], C.row_ptr[column + 1], row);
      assert(C.col_ind[other] == row);
      C.values[k] = C.values[other] = C.values[k] + C.values[other];
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

namespace {

/// A P, or U P of a symmetric A.
template <class V>
ChunkedRows<double> multiply_right(Threads& exec, const linalg::CrsView<const double>& A,
                                   const linalg::CrsView<const V>& P, bool symmetric) {
  return symmetric ? multiply_half(exec, A, P) : multiply_rows(exec, A, StoredRows<V>{P}, P.cols, false);
}

}  // namespace

template <class Exec, class V>
linalg::Crs<typename Exec::Space> galerkin_product(Exec& exec, const linalg::CrsView<const V>& R,
                                                   const linalg::CrsView<const double>& A,
                                                   const linalg::CrsView<const V>& P, bool symmetric) {
  const auto multiply_all = [&] { return multiply_rows(exec, R, multiply_right(exec, A, P, symmetric), P.cols, true); };
  linalg::Crs<Host> C = to_crs(exec, multiply_all(), P.cols);
  return symmetric ? plus_transpose(exec, C) : std::move(C);
}
template <class Exec, class V>
void galerkin_values(Exec& exec, const linalg::CrsView<const V>& R, const linalg::CrsView<const double>& A,
                     const linalg::CrsView<const V>& P, bool symmetric, linalg::Crs<typename Exec::Space>& C) {
  fill_values(exec, R, multiply_right(exec, A, P, symmetric), C);
  if (symmetric) add_transpose(exec, C.view());
}

TESSERA_INSTANTIATE_MULTIPLIES(Threads);

}  // namespace tessera::solvers::amg
