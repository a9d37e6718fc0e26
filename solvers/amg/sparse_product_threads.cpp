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

/// Columns of the rows of a chunk of C, one row after the other.
using Columns = std::vector<Index>;

/// Adds the columns of row i of A B in ascending order and returns how many there are. `last_row` [cols] holds the last
/// row that met a column.
template <class TA, class TB>
Offset add_columns(const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B, Index i,
                   std::vector<Index>& last_row, Columns& columns) {
  const std::size_t before = columns.size();
  Index* __restrict__ seen = last_row.data();
  for (Offset k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
    const Index j = A.col_ind[k];
    for (Offset e = B.row_ptr[j]; e < B.row_ptr[j + 1]; ++e) {
      const Index column = B.col_ind[e];
      if (seen[column] == i) continue;
      seen[column] = i;
      columns.push_back(column);
    }
  }
  const auto count = static_cast<Offset>(columns.size() - before);
  sort_columns(columns.data() + before, count);
  return count;
}

/// The pattern of C: each chunk of rows keeps its columns until it is known where they go.
template <class TA, class TB>
void make_pattern(Threads& exec, const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B,
                  linalg::Crs<Host>& C) {
  const Offset chunks = (A.rows + row_chunk - 1) / row_chunk;
  std::vector<Columns> found(static_cast<std::size_t>(chunks));
  const View<Offset> row_ptr = C.row_ptr;
  Scratch<std::vector<Index>> scratch(exec.count());
  parallel_chunks(exec.count(), A.rows, row_chunk, [&](Offset first, Offset last, int part) {
    std::vector<Index>& last_row = scratch.of(part, static_cast<std::size_t>(B.cols), -1);
    Columns& columns = found[static_cast<std::size_t>(first / row_chunk)];
    for (Offset i = first; i < last; ++i) row_ptr[i] = add_columns(A, B, static_cast<Index>(i), last_row, columns);
  });
  C.col_ind = Array<Index>(linalg::counts_to_offsets(exec, row_ptr));
  parallel_for(exec.count(), chunks, [&](Offset chunk) {
    const Columns& columns = found[static_cast<std::size_t>(chunk)];
    std::copy(columns.begin(), columns.end(), C.col_ind.data() + row_ptr[chunk * row_chunk]);
  });
}

}  // namespace

template <class Exec, class TA, class TB>
void multiply_values(Exec& exec, const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B,
                     linalg::Crs<typename Exec::Space>& C) {
  const linalg::CrsView<double> c = C.view();
  Scratch<std::vector<Index>> scratch(exec.count());
  parallel_chunks(exec.count(), A.rows, row_chunk, [&](Offset first, Offset last, int part) {
    // Where the columns of a row stand in it.
    Index* __restrict__ place = scratch.of(part, static_cast<std::size_t>(B.cols), 0).data();
    for (Offset i = first; i < last; ++i) {
      const Offset begin = c.row_ptr[i];
      const Index count = static_cast<Index>(c.row_ptr[i + 1] - begin);
      double* __restrict__ sums = c.values.data() + begin;
      for (Index k = 0; k < count; ++k) {
        place[c.col_ind[begin + k]] = k;
        sums[k] = 0;
      }
      for (Offset k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
        const double a = static_cast<double>(A.values[k]);
        const Index j = A.col_ind[k];
        const Offset end = B.row_ptr[j + 1];
        for (Offset e = B.row_ptr[j]; e < end; ++e) sums[place[B.col_ind[e]]] += a * static_cast<double>(B.values[e]);
      }
    }
  });
}

template <class Exec, class TA, class TB>
linalg::Crs<typename Exec::Space> multiply(Exec& exec, const linalg::CrsView<const TA>& A,
                                           const linalg::CrsView<const TB>& B) {
  linalg::Crs<typename Exec::Space> C;
  C.rows = A.rows;
  C.cols = B.cols;
  C.row_ptr = Array<Offset>(Offset{A.rows} + 1);
  make_pattern(exec, A, B, C);
  C.values = Array<double>(C.col_ind.size());
  multiply_values(exec, A, B, C);
  return C;
}

TESSERA_INSTANTIATE_MULTIPLIES(Threads);

}  // namespace tessera::solvers::amg
