#include "linalg/spmv.hpp"
#include "solvers/params.hpp"
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {
namespace {

/// Borrows A, which must outlive it. 24 B per row of its own; a sweep reads half of A.
class Ssor final : public Preconditioner<Threads> {
 public:
  Ssor(linalg::CrsView<const double> A, double omega, const Array<double>& diagonal)
      : A_(A), omega_(omega), diagonal_at_(A.rows), inverse_(A.rows) {
    for (Offset row = 0; row < A.rows; ++row) {
      Offset k = A.row_ptr[row];
      while (A.col_ind[k] != row) ++k;
      diagonal_at_[row] = k;
      inverse_[row] = omega / diagonal[row];  // (D/w)^-1
    }
  }

  void apply(Threads&, View<const double> r, View<double> z) override {
    // y = (D/w + L)^-1 r
    for (Offset row = 0; row < A_.rows; ++row) {
      double sum = r[row];
      for (Offset k = A_.row_ptr[row]; k < diagonal_at_[row]; ++k) sum -= A_.values[k] * z[A_.col_ind[k]];
      z[row] = sum * inverse_[row];
    }
    // z = (D/w + L^T)^-1 ((2-w)/w) D y
    for (Offset row = A_.rows - 1; row >= 0; --row) {
      const Offset at = diagonal_at_[row];
      double sum = (2 - omega_) / omega_ * A_.values[at] * z[row];
      for (Offset k = at + 1; k < A_.row_ptr[row + 1]; ++k) sum -= A_.values[k] * z[A_.col_ind[k]];
      z[row] = sum * inverse_[row];
    }
  }

 private:
  linalg::CrsView<const double> A_;
  double omega_;
  Array<Offset> diagonal_at_;  ///< [rows] position of the diagonal entry among the values
  Array<double> inverse_;      ///< [rows] omega / diagonal
};

}  // namespace

std::unique_ptr<Preconditioner<Threads>> make_ssor(Threads& exec, const linalg::Crs<Host>& A, const SolverParams& params,
                                                   std::string& failure) {
  Array<double> diagonal(A.rows);
  linalg::extract_diagonal(exec, A.view(), diagonal.view());
  failure = describe_bad_diagonal(to_vector(diagonal));
  if (!failure.empty()) return nullptr;
  return std::make_unique<Ssor>(A.view(), params.relaxation, diagonal);
}

}  // namespace tessera::solvers
