#include "solvers/direct/lu.hpp"

// GCC takes the undefined vectors of its own intrinsics for an omission.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <Eigen/Sparse>
#include <Eigen/SparseLU>
#include <limits>
#include <new>
#include <vector>

#include "base/error.hpp"
#include "solvers/direct/refine.hpp"

namespace tessera::solvers {
namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
using Rows = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>>;

Matrix by_columns(const linalg::Crs<Host>& A, const SolverParams& params) {
  if (A.nnz() > std::numeric_limits<int>::max())
    throw Error(ExitCode::usage, fmt::format("the direct solver takes 2^31 non-zeros at most, this matrix has {}", A.nnz()),
                "choose type = \"gmres\"", params.where);
  const std::vector<int> row_ptr(A.row_ptr.begin(), A.row_ptr.end());
  return Rows(A.rows, A.cols, A.nnz(), row_ptr.data(), A.col_ind.data(), A.values.data());
}

}  // namespace

Report solve_lu(Threads& exec, const linalg::Operator<Threads>& A, View<const double> b, View<double> x, const SolverParams& params,
                const Monitor& monitor) {
  if (!A.crs())
    throw Error(ExitCode::usage, fmt::format("the solver 'lu' needs the entries of the matrix in CRS, but its format is '{}'", A.format()),
                "choose type = \"gmres\", or matrix.format = \"crs\"", params.where);
  Report report;
  if (A.rows() == 0) {
    report.converged = true;
    return report;
  }
  report.relative_residual = std::numeric_limits<double>::quiet_NaN();
  try {
    Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<int>> factor(by_columns(*A.crs(), params));
    if (factor.info() == Eigen::Success)
      solve_and_refine(exec, factor, *A.crs(), b, x, params, monitor, report);
    else
      report.failure = "the matrix is singular, or holds a value that is not finite: its factorisation meets a column without a "
                       "pivot; look for a missing Dirichlet condition or an unknown without an equation";
  } catch (const std::bad_alloc&) {
    throw Error(ExitCode::memory, fmt::format("the factor of {} unknowns does not fit into memory", A.rows()),
                "choose type = \"gmres\", or a coarser mesh", params.where);
  }
  return report;
}

}  // namespace tessera::solvers
