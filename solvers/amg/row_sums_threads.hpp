#pragma once
// Rows of sparse matrices as threads make them, of entries that add up by their column. For products and prolongations.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/team.hpp"
#include "linalg/convert.hpp"
#include "linalg/row_walk.hpp"

namespace tessera::solvers::amg {

/// Rows that a thread takes at a time.
inline constexpr Offset row_chunk = 512;

/// Rows where the threads that made them have left them.
template <class V>
class ChunkedRows {
 public:
  struct Chunk {
    std::vector<Index> starts;  ///< [rows + 1]
    Array<Index> columns;
    Array<V> values;
  };

  explicit ChunkedRows(Index rows) : rows_(rows), chunks_(static_cast<std::size_t>(chunks_of(rows))) {}
  Index rows() const { return rows_; }
  Chunk& chunk(Offset number) { return chunks_[static_cast<std::size_t>(number)]; }

  linalg::RowEntries<V> operator[](Index row) const {
    const Chunk& chunk = chunks_[static_cast<std::size_t>(row / row_chunk)];
    const Index* start = chunk.starts.data() + row % row_chunk;
    return {chunk.columns.data() + *start, chunk.values.data() + *start, start[1] - *start};
  }

  static Offset chunks_of(Offset rows) { return (rows + row_chunk - 1) / row_chunk; }

 private:
  Index rows_;
  std::vector<Chunk> chunks_;
};

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

/// Brings distinct columns into ascending order. Many are sorted by comparisons.
inline void sort_columns(Index* columns, Index count) {
  constexpr Index most = 64;
  if (count > most) return std::sort(columns, columns + count);
  Index from[most];
  std::copy(columns, columns + count, from);
  std::fill(from + count, from + most, std::numeric_limits<Index>::max());
  if (count <= most / 4) return put_by_rank<most / 4>(from, count, columns);
  if (count <= most / 2) return put_by_rank<most / 2>(from, count, columns);
  put_by_rank<most>(from, count, columns);
}

/// What a thread needs to make rows, a chunk of them after the other: their entries, or parts of them, come in any
/// order of columns, and each entry is the sum of its parts in the order in which they came.
template <class V>
class RowSums {
 public:
  explicit RowSums(Index cols) : sums_(cols), last_row_(cols), starts_{0} {
    sums_.set_zero();
    last_row_.set_zero();
  }

  void begin_row() {
    count_ = 0;
    ++row_;
  }
  /// Adds factor times the entries.
  template <class T>
  void add(double factor, linalg::RowEntries<T> row) {
    V* __restrict__ const sums = sums_.data();
    Index* __restrict__ const last_row = last_row_.data();
    const auto start = static_cast<std::size_t>(starts_.back());
    const std::size_t needed = start + static_cast<std::size_t>(count_ + row.length) + 1;
    if (columns_.size() < needed) columns_.resize(2 * needed);
    Index* __restrict__ const columns = columns_.data() + start;
    const Index this_row = row_;
    Index count = count_;
    for (Offset k = 0; k < row.length; ++k) {
      const Index column = row.col_ind[k];
      columns[count] = column;  // the next one takes its place where it is known: a branch could not be foreseen
      count += last_row[column] != this_row;
      last_row[column] = this_row;
      sums[column] += static_cast<V>(factor * static_cast<double>(row.values[k]));
    }
    count_ = count;
  }
  void add(Index column, V value) { add(1, linalg::RowEntries<V>{&column, &value, 1}); }
  void end_row(bool ascending) {
    const std::size_t start = values_.size();
    Index* const columns = columns_.data() + start;
    if (ascending) sort_columns(columns, count_);
    values_.resize(start + static_cast<std::size_t>(count_));
    for (Index k = 0; k < count_; ++k) {
      V& sum = sums_[columns[k]];
      values_[start + static_cast<std::size_t>(k)] = sum;
      sum = V{};
    }
    starts_.push_back(starts_.back() + count_);
  }

  /// The rows since the last call.
  typename ChunkedRows<V>::Chunk take() {
    const Index count = starts_.back();
    typename ChunkedRows<V>::Chunk chunk{starts_, Array<Index>(count), Array<V>(count)};
    std::copy(columns_.data(), columns_.data() + count, chunk.columns.data());
    std::copy(values_.data(), values_.data() + count, chunk.values.data());
    values_.clear();
    starts_.assign(1, 0);
    return chunk;
  }

 private:
  Array<V> sums_;          ///< [cols] zero where the row has not met the column
  Array<Index> last_row_;  ///< [cols] the last row that met it, counted from 1
  Index row_ = 0;
  std::vector<Index> starts_;   ///< of the rows of this chunk
  std::vector<Index> columns_;  ///< of its rows, as they were met or ascending, and room
  std::vector<V> values_;       ///< of its rows before this one
  Index count_ = 0;
};

/// Rows whose entries add(sums, row) adds up.
template <class V, class Add>
ChunkedRows<V> make_rows(Threads& exec, Index rows, Index cols, bool ascending, Add&& add) {
  ChunkedRows<V> result(rows);
  Scratch<RowSums<V>> scratch(exec.count());
  parallel_chunks(exec.count(), rows, row_chunk, [&](Offset first, Offset last, int part) {
    RowSums<V>& sums = scratch.of(part, cols);
    for (Offset row = first; row < last; ++row) {
      sums.begin_row();
      add(sums, row);
      sums.end_row(ascending);
    }
    result.chunk(first / row_chunk) = sums.take();
  });
  return result;
}

template <class V>
linalg::Crs<Host, V> to_crs(Threads& exec, ChunkedRows<V> rows, Index cols) {
  linalg::Crs<Host, V> result;
  result.rows = rows.rows();
  result.cols = cols;
  result.row_ptr = Array<Offset>(Offset{result.rows} + 1);
  const View<Offset> row_ptr = result.row_ptr;
  for_each(exec, result.rows, [&](Offset row) { row_ptr[row] = rows[static_cast<Index>(row)].length; });
  result.col_ind = Array<Index>(linalg::counts_to_offsets(exec, row_ptr));
  result.values = Array<V>(result.col_ind.size());
  parallel_for(exec.count(), ChunkedRows<V>::chunks_of(result.rows), [&](Offset number) {
    const auto chunk = std::move(rows.chunk(number));
    const Offset first = row_ptr[number * row_chunk];
    std::copy(chunk.columns.data(), chunk.columns.data() + chunk.columns.size(), result.col_ind.data() + first);
    std::copy(chunk.values.data(), chunk.values.data() + chunk.values.size(), result.values.data() + first);
  });
  return result;
}

}  // namespace tessera::solvers::amg
