#include "solvers/precondition/ssor.hpp"

#include <utility>

#include "solvers/precondition/entries.hpp"

namespace tessera::solvers {
namespace {

/// Borrows the pattern of A, which must outlive it, and in double its values too. A sweep reads half of A.
/// Of its own: 8 B + 1 value a row, and in float 4 B a non-zero.
template <class T>
class Ssor final : public Preconditioner<Threads, T> {
 public:
  explicit Ssor(const SolverParams& params)
      : omega_(static_cast<T>(params.preconditioning.as<SweepParams>().relaxation)), where_(params.where) {}

  std::string set_up(Threads& exec, const linalg::Operator<Threads>& A, const linalg::Operator<Threads, T>&,
                     linalg::Sign sign, Reuse reuse) override {
    const linalg::CrsView<const double> entries = entries_of(exec, A, reuse, read_, "ssor", where_);
    A_ = {entries.rows, entries.cols, entries.row_ptr, entries.col_ind, std::as_const(values_).view()};
    if constexpr (std::is_same_v<T, double>) A_.values = entries.values;
    if (reuse == Reuse::all) return {};
    const std::string failure = invert_diagonal_of_sweeps(exec, A, sign, inverse_);
    if (!failure.empty()) return failure;
    if constexpr (!std::is_same_v<T, double>) {
      if (values_.size() != entries.values.size()) values_ = Array<T>(entries.values.size());
      linalg::convert(exec, entries.values, values_.view());
      A_.values = std::as_const(values_).view();
    }
    if (reuse == Reuse::nothing || diagonal_at_.size() != A_.rows) find_diagonal();
    for (T& value : inverse_) value *= omega_;  // (D/w)^-1
    return {};
  }

  void apply(Threads&, View<const T> r, View<T> z) override {
    // y = (D/w + L)^-1 r
    for (Offset row = 0; row < A_.rows; ++row) {
      T sum = r[row];
      for (Offset k = A_.row_ptr[row]; k < diagonal_at_[row]; ++k) sum -= A_.values[k] * z[A_.col_ind[k]];
      z[row] = sum * inverse_[row];
    }
    // z = (D/w + U)^-1 ((2-w)/w) D y
    for (Offset row = A_.rows - 1; row >= 0; --row) {
      const Offset at = diagonal_at_[row];
      T sum = (2 - omega_) / inverse_[row] * z[row];
      for (Offset k = at + 1; k < A_.row_ptr[row + 1]; ++k) sum -= A_.values[k] * z[A_.col_ind[k]];
      z[row] = sum * inverse_[row];
    }
  }

 private:
  void find_diagonal() {
    diagonal_at_ = Array<Offset>(A_.rows);
    for (Offset row = 0; row < A_.rows; ++row) {
      Offset k = A_.row_ptr[row];
      while (A_.col_ind[k] != row) ++k;
      diagonal_at_[row] = k;
    }
  }

  Entries<Threads> read_;
  linalg::CrsView<const T> A_;
  Array<T> values_;  ///< in the type of the method, where that is not the matrix's
  T omega_;
  Array<Offset> diagonal_at_;  ///< [rows] position of the diagonal entry among the values
  Array<T> inverse_;           ///< [rows] omega / diagonal
  deck::Where where_;
};

template <class T>
std::unique_ptr<Preconditioner<Threads, T>> make_ssor(const SolverParams& params) {
  return std::make_unique<Ssor<T>>(params);
}

double bytes_of_ssor(const SolverParams&, const ProblemSize& size, double value) {
  return (value + 8) * size.rows + (value < 8 ? value * size.entries : 0) + copied_entries_bytes(size);
}

}  // namespace

OwnKeys sweep_keys() {
  return Keys<SweepParams>().key(
      "relaxation", &SweepParams::relaxation,
      {.help = "omega, between 0 and 2, both excluded.", .min = 0, .max = 2, .open_min = true}, true);
}

PreconditionerEntry ssor_entry() {
  return {.name = "ssor",
          .help = "a forward and a backward Gauss-Seidel sweep with `relaxation`; fewest iterations, serial",
          .needs = {.entries = true},
          .bytes = bytes_of_ssor,
          .own = sweep_keys(),
          .cuda = false,
          .make_threads = make_ssor<double>,
          .make_threads_float = make_ssor<float>};
}

}  // namespace tessera::solvers
