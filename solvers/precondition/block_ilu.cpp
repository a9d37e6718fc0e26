#include "solvers/precondition/block_ilu.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "linalg/block_size.hpp"
#include "linalg/dense_block.hpp"
#include "solvers/params.hpp"

namespace tessera::solvers {
namespace {

/// Sizes of blocks with loops of their own: up to the numbers of a gas in space.
constexpr int most_unrolled = 5;

/// Borrows the pattern of A, which must outlive it. Of its own 8 B a block row and a value an entry.
template <class T>
class BlockIlu final : public Preconditioner<Threads, T> {
 public:
  explicit BlockIlu(const SolverParams& params) : where_(params.where) {}

  std::string set_up(Threads&, const linalg::Operator<Threads>& A, const linalg::Operator<Threads, T>&,
                     linalg::Sign sign, Reuse reuse) override {
    if (reuse == Reuse::all) return {};
    if (A.block_size() > linalg::largest_inverted_block)
      throw Error(ExitCode::usage,
                  "the preconditioner 'block_ilu' takes at most " + std::to_string(linalg::largest_inverted_block) +
                      " unknowns a node, and the matrix has " + std::to_string(A.block_size()),
                  "choose preconditioner = \"jacobi\"", where_);
    const auto entries = block_entries_of(A);
    pattern_ = {entries.rows, entries.cols, entries.block, entries.row_ptr, entries.col_ind, {}};
    if (values_.size() != entries.values.size()) values_ = Array<T>(entries.values.size());
    std::copy(entries.values.begin(), entries.values.end(), values_.begin());
    if (reuse == Reuse::nothing || diagonal_at_.size() != entries.block_rows()) find_diagonal();
    if (place_.size() != entries.block_rows()) place_ = Array<Offset>(entries.block_rows());
    std::fill(place_.begin(), place_.end(), Offset{-1});
    Index bad = -1;
    linalg::with_block_size<most_unrolled>(entries.block, [&](auto size) {
      for (Index row = 0; row < entries.block_rows() && bad < 0; ++row)
        if (!eliminate<decltype(size)::value>(row, sign)) bad = row;
    });
    if (bad < 0) return {};
    return "the factor of preconditioner = \"block_ilu\" breaks down at node " + std::to_string(bad) +
           ": its block on the diagonal is " + (sign == linalg::Sign::any ? "singular" : "not positive definite") +
           "; choose preconditioner = \"block_jacobi\"";
  }

  void apply(Threads&, View<const T> r, View<T> z) override {
    linalg::with_block_size<most_unrolled>(pattern_.block, [&](auto size) { substitute<decltype(size)::value>(r, z); });
  }

 private:
  linalg::BlockCrsView<const double> block_entries_of(const linalg::Operator<Threads>& A) const {
    if (const auto blocks = A.block_entries()) return *blocks;
    if (const auto entries = A.entries(); entries && A.block_size() == 1)
      return {entries->rows, entries->cols, 1, entries->row_ptr, entries->col_ind, entries->values};
    throw Error(ExitCode::usage,
                "the preconditioner 'block_ilu' needs the entries of the matrix in block rows, but its format is '" +
                    A.format() + "'",
                "choose preconditioner = \"block_jacobi\", or matrix.format = \"block_crs\"", where_);
  }
  void find_diagonal() {
    if (diagonal_at_.size() != pattern_.block_rows()) diagonal_at_ = Array<Offset>(pattern_.block_rows());
    for (Index row = 0; row < pattern_.block_rows(); ++row) {
      const Index* const first = pattern_.col_ind.data() + pattern_.row_ptr[row];
      const Index* const last = pattern_.col_ind.data() + pattern_.row_ptr[row + 1];
      diagonal_at_[row] = std::lower_bound(first, last, row) - pattern_.col_ind.data();
    }
  }

  /// L_ik = A_ik D_k^-1 and A_ij -= L_ik U_kj where the pattern has (i, j), k < i in their order; then D_i^-1.
  template <int size>
  bool eliminate(Index i, linalg::Sign sign) {
    const int n = size > 0 ? size : pattern_.block;
    if (n < 1 || n > linalg::largest_inverted_block) return false;
    const Offset numbers = Offset{n} * n, first = pattern_.row_ptr[i], last = pattern_.row_ptr[i + 1];
    const View<const Index> col = pattern_.col_ind;
    T* const values = values_.data();
    for (Offset at = first; at < last; ++at) place_[col[at]] = at;
    T scratch[linalg::largest_inverted_block * linalg::largest_inverted_block];
    for (Offset at = first; at < diagonal_at_[i]; ++at) {
      const Index k = col[at];
      T* const L = values + at * numbers;
      std::copy_n(L, numbers, scratch);
      multiply<size>(scratch, values + diagonal_at_[k] * numbers, L, T{0}, T{1});
      for (Offset of_k = diagonal_at_[k] + 1; of_k < pattern_.row_ptr[k + 1]; ++of_k)
        if (const Offset to = place_[col[of_k]]; to >= 0)
          multiply<size>(L, values + of_k * numbers, values + to * numbers, T{1}, T{-1});
    }
    for (Offset at = first; at < last; ++at) place_[col[at]] = -1;
    constexpr double lost = 16 * std::numeric_limits<T>::epsilon();
    T* const D = values + diagonal_at_[i] * numbers;
    return sign == linalg::Sign::any ? linalg::invert_general<size>(D, n, lost)
                                     : linalg::invert_positive<size>(D, n, lost);
  }
  /// c = keep c + by a b.
  template <int size>
  void multiply(const T* a, const T* b, T* c, T keep, T by) const {
    const int n = size > 0 ? size : pattern_.block;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        T sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = keep * c[i * n + j] + by * sum;
      }
  }

  /// y = L^-1 r, then z = U^-1 y.
  template <int size>
  void substitute(View<const T> r, View<T> z) const {
    const int n = size > 0 ? size : pattern_.block;
    const Offset numbers = Offset{n} * n;
    T sum[size > 0 ? size : linalg::largest_inverted_block];
    const auto subtract = [&](Offset from, Offset to) {
      for (Offset at = from; at < to; ++at) {
        const T* const block = values_.data() + at * numbers;
        const T* const x = z.data() + Offset{pattern_.col_ind[at]} * n;
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) sum[i] -= block[i * n + j] * x[j];
      }
    };
    for (Index row = 0; row < pattern_.block_rows(); ++row) {
      for (int i = 0; i < n; ++i) sum[i] = r[Offset{row} * n + i];
      subtract(pattern_.row_ptr[row], diagonal_at_[row]);
      for (int i = 0; i < n; ++i) z[Offset{row} * n + i] = sum[i];
    }
    for (Index row = pattern_.block_rows() - 1; row >= 0; --row) {
      for (int i = 0; i < n; ++i) sum[i] = z[Offset{row} * n + i];
      subtract(diagonal_at_[row] + 1, pattern_.row_ptr[row + 1]);
      const T* const D = values_.data() + diagonal_at_[row] * numbers;
      for (int i = 0; i < n; ++i) {
        T value = 0;
        for (int j = 0; j < n; ++j) value += D[i * n + j] * sum[j];
        z[Offset{row} * n + i] = value;
      }
    }
  }

  linalg::BlockCrsView<const double> pattern_;  ///< without values
  Array<T> values_;                             ///< L below the diagonal, D^-1 on it, U above it
  Array<Offset> diagonal_at_, place_;           ///< [block rows]; where a column of a row stands, -1: nowhere
  deck::Where where_;
};

template <class T>
std::unique_ptr<Preconditioner<Threads, T>> make_block_ilu(const SolverParams& params) {
  return std::make_unique<BlockIlu<T>>(params);
}

double bytes_of_block_ilu(const SolverParams&, const ProblemSize& size, double value) {
  return value * size.entries + 16 * size.rows / size.block;
}

}  // namespace

PreconditionerEntry block_ilu_entry() {
  return {.name = "block_ilu",
          .help =
              "an incomplete factorisation without fill of the blocks that couple the unknowns of nodes; for "
              "flows, serial",
          .needs = {.entries = true, .diagonal_blocks = true},
          .bytes = bytes_of_block_ilu,
          .cuda = false,
          .make_threads = make_block_ilu<double>,
          .make_threads_float = make_block_ilu<float>};
}

}  // namespace tessera::solvers
