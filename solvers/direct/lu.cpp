#include "solvers/direct/lu.hpp"

// GCC takes the undefined vectors of its own intrinsics for an omission.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <Eigen/Sparse>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/direct/direct_method.hpp"
#include "solvers/direct/on_host.hpp"

namespace tessera::solvers {
namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
using Rows = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>>;

/// A pivot this much smaller than the largest entry of its column has lost all its digits: A is singular to rounding.
constexpr double pivot_lost = 1e-14;
constexpr double most_entries = std::numeric_limits<int>::max();

class Factor : public Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<int>> {
 public:
  /// |U_jj| of position j of the factor.
  double pivot(Eigen::Index j) const {
    for (typename SCMatrix::InnerIterator entry(m_Lstore, j); entry; ++entry)
      if (entry.index() == j) return std::abs(entry.value());
    return 0;
  }
};

/// Eigen counts entries in 32 bits, of the factor too: fill of a 3-D mesh grows as n^(4/3) (George & Liu 1981).
Matrix by_columns(const linalg::CrsView<const double>& A, const deck::Where& where) {
  const double factor = std::pow(static_cast<double>(A.rows), 4.0 / 3.0);
  if (static_cast<double>(A.values.size()) > most_entries || factor > most_entries)
    throw Error(
        ExitCode::usage,
        fmt::format("the solver 'lu' takes 2^31 entries at most; this matrix of {} rows has {}, its factor some {:.1g}",
                    A.rows, A.values.size(), factor),
        "choose type = \"bicgstab\" or \"gmres\"", where);
  const std::vector<int> row_ptr(A.row_ptr.begin(), A.row_ptr.end());
  return Rows(A.rows, A.cols, A.values.size(), row_ptr.data(), A.col_ind.data(), A.values.data());
}

/// Empty, or why the factor cannot be used. Throws std::bad_alloc where Eigen ran out of memory, which it says by a
/// text only.
std::string describe_bad_factor(const Factor& factor, const Matrix& A) {
  const std::string advice = "; look for a missing Dirichlet condition or an unknown without an equation";
  if (factor.lastErrorMessage().find("UNABLE") != std::string::npos) throw std::bad_alloc();
  for (Eigen::Index k = 0; k < A.nonZeros(); ++k)
    if (!std::isfinite(A.valuePtr()[k])) return "the matrix holds a value that is not finite";
  if (factor.info() != Eigen::Success)
    return "the matrix is singular: its factorisation meets a column without a pivot" + advice;
  for (Eigen::Index column = 0; column < A.cols(); ++column) {
    const double pivot = factor.pivot(factor.colsPermutation().indices()[column]);
    double largest = 0;
    for (Matrix::InnerIterator entry(A, column); entry; ++entry) largest = std::max(largest, std::abs(entry.value()));
    if (!(pivot > pivot_lost * largest))
      return fmt::format(
          "the matrix is singular to rounding: the pivot of column {} is {:.3g} where its largest entry is {:.3g}{}",
          column, pivot, largest, advice);
  }
  return {};
}

class Lu {
 public:
  void analyse(const linalg::CrsView<const double>& A, const SolverParams& params) {
    where_ = params.where;
    factor_.analyzePattern(by_columns(A, where_));
  }
  std::string factorise(const linalg::CrsView<const double>& A) {
    const Matrix columns = by_columns(A, where_);
    factor_.factorize(columns);
    return describe_bad_factor(factor_, columns);
  }
  Eigen::VectorXd solve(const Eigen::VectorXd& r) const { return factor_.solve(r); }

 private:
  deck::Where where_;
  Factor factor_;
};

/// The factor has both triangles and fills more, and A is there in Eigen's format while it is made.
double lu_entries(const ProblemSize& size) { return 4 * factor_entries(size); }

std::unique_ptr<Method<Threads>> make_lu(const SolverParams& params) {
  return std::make_unique<DirectMethod<Lu>>(params, "gmres");
}

}  // namespace

MethodEntry lu_entry() {
  return {.name = "lu",
          .help =
              "sparse L U factorisation with pivoting (Eigen, COLAMD order), for matrices that need not be symmetric; "
              "small and middling systems; on CUDA the host factors",
          .kind = MethodKind::direct,
          .needs = {.entries = true},
          .bytes = [](const SolverParams&, const ProblemSize& size) { return factor_bytes(size, lu_entries(size)); },
          .set_up_seconds = [](const ProblemSize& size) { return factor_seconds(size, lu_entries(size)); },
          .make_threads = make_lu,
          .make_cuda = TESSERA_ON_CUDA(make_on_host<make_lu>)};
}

}  // namespace tessera::solvers
