#include <algorithm>
#include <limits>
#include <vector>

#include "base/team.hpp"
#include "linalg/convert.hpp"
#include "solvers/amg/sparse_product.hpp"

namespace tessera::solvers::amg {
namespace {

/// Rows that a thread takes at a time.
constexpr Offset row_chunk = 512;
/// Rows of B ahead of which one is brought to the cache: those that a row of A names lie apart.
constexpr Offset rows_ahead = 4;

template <class T>
void bring(const T* first, Offset count) {
  constexpr Offset line = 64 / sizeof(T);
  for (Offset i = 0; i < count; i += line) __builtin_prefetch(first + i);
}
template <class TA, class TB>
void prefetch_row(const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B, Offset k, Offset last,
                  bool values) {
  if (k >= last) return;
  const Offset first = B.row_ptr[A.col_ind[k]], length = B.row_ptr[A.col_ind[k] + 1] - first;
  bring(B.col_ind.data() + first, length);
  if (values) bring(B.values.data() + first, length);
}

/// Each of distinct columns goes to its rank: no branch depends on columns, which a branch could not foresee. Behind
/// `count` there are `most` - `count` that are greater than all.
template <Index most>
void put_by_rank(const Index* columns, Index count, Index* to) {
  for (Index i = 0; i < count; ++i) {
    Index rank = 0;
    for (Index k = 0; k < most; ++k) rank += columns[k] < columns[i];
    to[rank] = columns[i];
  }
}
/// Rows of more columns are sorted by comparisons.
constexpr Index most_ranked = 64;

/// `columns` has room for `most_ranked` more.
void put_sorted(Index* columns, Index count, Index* to) {
  if (count > most_ranked) {
    std::copy(columns, columns + count, to);
    return std::sort(to, to + count);
  }
  std::fill(columns + count, columns + most_ranked, std::numeric_limits<Index>::max());
  if (count <= most_ranked / 4) return put_by_rank<most_ranked / 4>(columns, count, to);
  if (count <= most_ranked / 2) return put_by_rank<most_ranked / 2>(columns, count, to);
  put_by_rank<most_ranked>(columns, count, to);
}

/// What a thread needs to find the columns of rows of A B.
struct RowColumns {
  std::vector<Index> last_row;  ///< [cols] the last row that met a column
  std::vector<Index> columns;   ///< those of a row, and room

  explicit RowColumns(Index cols) : last_row(static_cast<std::size_t>(cols), -1) {}

  /// The columns of row i, as they are met; returns how many there are.
  template <class TA, class TB>
  Index find(const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B, Index i) {
    const Offset begin = A.row_ptr[i], end = A.row_ptr[i + 1];
    Offset most = most_ranked;
    for (Offset k = begin; k < end; ++k) most += B.row_ptr[A.col_ind[k] + 1] - B.row_ptr[A.col_ind[k]];
    if (columns.size() < static_cast<std::size_t>(most)) columns.resize(static_cast<std::size_t>(2 * most));
    Index* __restrict__ seen = last_row.data();
    Index* __restrict__ found = columns.data();
    Index count = 0;
    for (Offset k = begin; k < end; ++k) {
      prefetch_row(A, B, k + rows_ahead, end, false);
      const Index j = A.col_ind[k];
      const Offset last = B.row_ptr[j + 1];
      for (Offset e = B.row_ptr[j]; e < last; ++e) {
        const Index column = B.col_ind[e];
        found[count] = column;  // the next one takes its place where it is known
        count += seen[column] != i;
        seen[column] = i;
      }
    }
    return count;
  }
};

/// The pattern of C: each chunk of rows keeps its columns until it is known where they go.
template <class TA, class TB>
void make_pattern(Threads& exec, const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B,
                  linalg::Crs<Host>& C) {
  const Offset chunks = (A.rows + row_chunk - 1) / row_chunk;
  std::vector<std::vector<Index>> of_chunk(static_cast<std::size_t>(chunks));
  const View<Offset> row_ptr = C.row_ptr;
  Scratch<RowColumns> scratch(exec.count());
  parallel_chunks(exec.count(), A.rows, row_chunk, [&](Offset first, Offset last, int part) {
    RowColumns& row = scratch.of(part, B.cols);
    std::vector<Index>& all = of_chunk[static_cast<std::size_t>(first / row_chunk)];
    for (Offset i = first; i < last; ++i) {
      const Index count = row.find(A, B, static_cast<Index>(i));
      const std::size_t before = all.size();
      all.resize(before + static_cast<std::size_t>(count));
      put_sorted(row.columns.data(), count, all.data() + before);
      row_ptr[i] = count;
    }
  });
  C.col_ind = Array<Index>(linalg::counts_to_offsets(exec, row_ptr));
  parallel_for(exec.count(), chunks, [&](Offset chunk) {
    const std::vector<Index>& columns = of_chunk[static_cast<std::size_t>(chunk)];
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
      const Offset last_entry = A.row_ptr[i + 1];
      for (Offset k = A.row_ptr[i]; k < last_entry; ++k) {
        prefetch_row(A, B, k + rows_ahead, last_entry, true);
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
