#include <algorithm>
#include <vector>

#include "base/team.hpp"
#include "linalg/convert.hpp"
#include "solvers/amg/sparse_product.hpp"

namespace tessera::solvers::amg {
namespace {

/// Rows that a thread takes at a time.
constexpr Offset row_chunk = 512;
/// Rows of fewer columns are sorted by insertion.
constexpr Offset few = 32;

void sort_columns(Index* columns, Offset count) {
  if (count > few) return std::sort(columns, columns + count);
  for (Offset i = 1; i < count; ++i) {
    const Index column = columns[i];
    Offset k = i;
    for (; k > 0 && columns[k - 1] > column; --k) columns[k] = columns[k - 1];
    columns[k] = column;
  }
}

/// Sums of one row after the other: of each column the last row that met it, and its sum in that row.
struct Sums {
  std::vector<Index> row;
  std::vector<double> value;
  explicit Sums(Index cols) : row(static_cast<std::size_t>(cols), -1), value(row.size()) {}
};

/// Row i of A B. Its columns, as many as there are, go to `columns` in ascending order, their sums to `values`.
template <class TA, class TB>
void sum_row(const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B, Index i, Sums& sums,
             Index* __restrict__ columns, double* __restrict__ values) {
  Index* __restrict__ row = sums.row.data();
  double* __restrict__ value = sums.value.data();
  Offset count = 0;
  for (Offset k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
    const double a = static_cast<double>(A.values[k]);
    const Index j = A.col_ind[k];
    for (Offset e = B.row_ptr[j]; e < B.row_ptr[j + 1]; ++e) {
      const Index column = B.col_ind[e];
      if (row[column] != i) {
        row[column] = i;
        value[column] = 0;
        columns[count++] = column;
      }
      value[column] += a * static_cast<double>(B.values[e]);
    }
  }
  sort_columns(columns, count);
  for (Offset k = 0; k < count; ++k) values[k] = value[columns[k]];
}

/// How many columns each row of C has. `seen` of a part holds the last row that met a column.
template <class TA, class TB>
void count_rows(Threads& exec, const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B,
                View<Offset> counts) {
  Scratch<std::vector<Index>> scratch(exec.count());
  parallel_chunks(exec.count(), A.rows, row_chunk, [&](Offset first, Offset last, int part) {
    std::vector<Index>& seen = scratch.of(part, static_cast<std::size_t>(B.cols), -1);
    for (Offset i = first; i < last; ++i) {
      Offset count = 0;
      for (Offset k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
        const Index j = A.col_ind[k];
        for (Offset e = B.row_ptr[j]; e < B.row_ptr[j + 1]; ++e) {
          Index& last_row = seen[static_cast<std::size_t>(B.col_ind[e])];
          count += last_row != i;
          last_row = static_cast<Index>(i);
        }
      }
      counts[i] = count;
    }
  });
}

}  // namespace

template <class Exec, class TA, class TB>
void multiply_values(Exec& exec, const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B,
                     linalg::Crs<typename Exec::Space>& C) {
  const linalg::CrsView<double> c = C.view();
  Index* col_ind = C.col_ind.data();
  Scratch<Sums> scratch(exec.count());
  parallel_chunks(exec.count(), A.rows, row_chunk, [&](Offset first, Offset last, int part) {
    Sums& sums = scratch.of(part, B.cols);
    for (Offset i = first; i < last; ++i)
      sum_row(A, B, static_cast<Index>(i), sums, col_ind + c.row_ptr[i], c.values.data() + c.row_ptr[i]);
  });
}

template <class Exec, class TA, class TB>
linalg::Crs<typename Exec::Space> multiply(Exec& exec, const linalg::CrsView<const TA>& A,
                                           const linalg::CrsView<const TB>& B) {
  linalg::Crs<typename Exec::Space> C;
  C.rows = A.rows;
  C.cols = B.cols;
  C.row_ptr = Array<Offset>(Offset{A.rows} + 1);
  count_rows(exec, A, B, C.row_ptr.view());
  const Offset entries = linalg::counts_to_offsets(exec, C.row_ptr.view());
  C.col_ind = Array<Index>(entries);
  C.values = Array<double>(entries);
  multiply_values(exec, A, B, C);
  return C;
}

TESSERA_INSTANTIATE_MULTIPLIES(Threads);

}  // namespace tessera::solvers::amg
