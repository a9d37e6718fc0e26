#include "solvers/precondition/entries.hpp"

namespace tessera::solvers {
namespace {

/// Borrows the pattern of A, which must outlive it, and in double its values too. A sweep reads half of A.
/// Of its own: 8 B + 1 value a row, and in float 4 B a non-zero.
template <class T>
class Ssor final : public Preconditioner<Threads, T> {
 public:
  Ssor(linalg::CrsView<const T> A, Array<T> values, double omega, const Array<T>& inverse_diagonal)
      : A_(A), values_(std::move(values)), omega_(static_cast<T>(omega)), diagonal_at_(A.rows), inverse_(A.rows) {
    if (!values_.empty()) A_.values = values_;
    for (Offset row = 0; row < A.rows; ++row) {
      Offset k = A.row_ptr[row];
      while (A.col_ind[k] != row) ++k;
      diagonal_at_[row] = k;
      inverse_[row] = omega_ * inverse_diagonal[row];  // (D/w)^-1
    }
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
  linalg::CrsView<const T> A_;
  Array<T> values_;  ///< in the type of the method, where that is not the matrix's
  T omega_;
  Array<Offset> diagonal_at_;  ///< [rows] position of the diagonal entry among the values
  Array<T> inverse_;           ///< [rows] omega / diagonal
};

}  // namespace

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_ssor(Exec& exec, const linalg::Operator<Exec>& A,
                                                   const linalg::Operator<Exec, T>&, const SolverParams& params,
                                                   linalg::Sign sign, std::string& failure) {
  const linalg::CrsView<const double> entries = entries_of(A, params);
  const Array<T> inverse = inverse_diagonal_of_sweeps<Exec, T>(exec, A, sign, failure);
  if (!failure.empty()) return nullptr;
  if constexpr (std::is_same_v<T, double>) {
    return std::make_unique<Ssor<T>>(entries, Array<T>(), params.relaxation, inverse);
  } else {
    Array<T> values(entries.values.size());
    linalg::convert(exec, entries.values, values.view());
    return std::make_unique<Ssor<T>>(
        linalg::CrsView<const T>{entries.rows, entries.cols, entries.row_ptr, entries.col_ind, {}}, std::move(values),
        params.relaxation, inverse);
  }
}

TESSERA_INSTANTIATE_PRECONDITIONER(make_ssor, Threads, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_ssor, Threads, float);

}  // namespace tessera::solvers
