#include <algorithm>
#include <utility>
#include <vector>

#include "base/team.hpp"
#include "linalg/convert.hpp"
#include "solvers/amg/sparse_product.hpp"

namespace tessera::solvers::amg {
namespace {

/// Rows that a thread takes at a time.
constexpr Offset row_chunk = 512;
/// Rows of fewer entries are sorted by insertion.
constexpr std::size_t few = 24;

/// The entries of one row of C, as they are met: `place` says for each column where, or less than `first`.
class Row {
 public:
  explicit Row(Index cols) : place_(static_cast<std::size_t>(cols), -1) {}

  void begin() {
    first_ += static_cast<Offset>(entries_.size());
    entries_.clear();
  }
  double& at(Index col) {
    Offset& place = place_[static_cast<std::size_t>(col)];
    if (place < first_) {
      place = first_ + static_cast<Offset>(entries_.size());
      entries_.push_back({col, 0.0});
    }
    return entries_[static_cast<std::size_t>(place - first_)].second;
  }
  Offset count() const { return static_cast<Offset>(entries_.size()); }
  /// By columns.
  const std::vector<std::pair<Index, double>>& sorted() {
    order_ = entries_;
    const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (order_.size() > few) {
      std::sort(order_.begin(), order_.end(), before);
      return order_;
    }
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const auto entry = order_[i];
      std::size_t k = i;
      for (; k > 0 && before(entry, order_[k - 1]); --k) order_[k] = order_[k - 1];
      order_[k] = entry;
    }
    return order_;
  }

 private:
  std::vector<Offset> place_;
  std::vector<std::pair<Index, double>> entries_, order_;
  Offset first_ = 0;
};

template <class TA, class TB>
void sum_row(const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B, Offset i, Row& row) {
  row.begin();
  for (Offset k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
    const double a = static_cast<double>(A.values[k]);
    const Index j = A.col_ind[k];
    for (Offset e = B.row_ptr[j]; e < B.row_ptr[j + 1]; ++e)
      row.at(B.col_ind[e]) += a * static_cast<double>(B.values[e]);
  }
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
  Scratch<Row> scratch(exec.count());
  parallel_chunks(exec.count(), A.rows, row_chunk, [&](Offset first, Offset last, int part) {
    Row& row = scratch.of(part, B.cols);
    for (Offset i = first; i < last; ++i) {
      sum_row(A, B, i, row);
      Offset place = c.row_ptr[i];
      for (const auto& [col, value] : row.sorted()) {
        col_ind[place] = col;
        c.values[place++] = value;
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
  count_rows(exec, A, B, C.row_ptr.view());
  const Offset entries = linalg::counts_to_offsets(exec, C.row_ptr.view());
  C.col_ind = Array<Index>(entries);
  C.values = Array<double>(entries);
  multiply_values(exec, A, B, C);
  return C;
}

TESSERA_INSTANTIATE_MULTIPLIES(Threads);

}  // namespace tessera::solvers::amg
