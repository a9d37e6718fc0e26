#include "solvers/direct/ldlt.hpp"

#include <fmt/format.h>

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <cmath>
#include <limits>
#include <new>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/profile.hpp"
#include "solvers/direct/refine.hpp"

namespace tessera::solvers {
namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
using Factor = Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::AMDOrdering<int>>;
using Vector = Eigen::VectorXd;

/// A pivot this much smaller than the diagonal entry it started from has lost all its digits: A is singular to rounding.
constexpr double pivot_lost = 1e-14;

/// The lower triangle by columns, which for a symmetric A is the upper one by rows.
Matrix lower_triangle(const linalg::Crs<Host>& A) {
  if (A.nnz() > std::numeric_limits<int>::max())
    throw Error(ExitCode::usage,
                fmt::format("the direct solver takes 2^31 non-zeros at most, this matrix has {}", A.nnz()),
                "choose type = \"cg\"");
  Matrix lower(A.rows, A.rows);
  std::vector<int> per_column(static_cast<std::size_t>(A.rows), 0);
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) per_column[row] += A.col_ind[k] >= row;
  lower.reserve(per_column);
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      if (A.col_ind[k] >= row) lower.insert(A.col_ind[k], row) = A.values[k];
  lower.makeCompressed();
  return lower;
}

/// Empty, or why the factor cannot be used.
std::string describe_bad_pivot(const Factor& factor, const Matrix& lower) {
  const auto singular = [](Index row, double pivot, double entry) {
    return fmt::format(
        "the matrix is singular: the pivot of row {} is {:.3g} where its diagonal entry is {:.3g}; look for a "
        "missing Dirichlet condition or an unknown without an equation",
        row, pivot, entry);
  };
  const Vector diagonal = lower.diagonal();
  if (factor.info() != Eigen::Success) {
    for (Index row = 0; row < diagonal.size(); ++row)
      if (diagonal[row] == 0 || !std::isfinite(diagonal[row])) return singular(row, diagonal[row], diagonal[row]);
    return "the matrix is singular, or holds a value that is not finite: a pivot of its factorisation is zero; look "
           "for a "
           "missing Dirichlet condition or an unknown without an equation";
  }
  const auto pivots = factor.vectorD();
  const auto& rows = factor.permutationPinv().indices();
  for (Index k = 0; k < pivots.size(); ++k) {
    const Index row = rows.size() > 0 ? rows[k] : k;
    if (!(std::abs(pivots[k]) > pivot_lost * std::abs(diagonal[row]))) return singular(row, pivots[k], diagonal[row]);
  }
  return {};
}

Report factor_and_solve(Threads& exec, const linalg::Crs<Host>& A, View<const double> b, View<double> x,
                        const SolverParams& params, const Monitor& monitor, View<const double> row_sums) {
  Report report;
  report.relative_residual = std::numeric_limits<double>::quiet_NaN();
  const Matrix lower = lower_triangle(A);
  Factor factor;
  {
    Scope scope(exec, "solve.factorise");
    factor.compute(lower);
  }
  report.failure = describe_bad_pivot(factor, lower);
  if (!report.failure.empty()) return report;

  solve_and_refine(exec, factor, A, b, x, params, monitor, row_sums, report);
  return report;
}

}  // namespace

Report solve_ldlt(Threads& exec, const linalg::Operator<Threads>& A, View<const double> b, View<double> x,
                  const SolverParams& params, const Monitor& monitor, View<const double> row_sums) {
  if (!A.crs())
    throw Error(
        ExitCode::usage,
        fmt::format("the solver 'direct' needs the entries of the matrix in CRS, but its format is '{}'", A.format()),
        "choose type = \"cg\", or matrix.format = \"crs\"", params.where);
  if (A.rows() == 0) {
    Report report;
    report.converged = true;
    return report;
  }
  try {
    return factor_and_solve(exec, *A.crs(), b, x, params, monitor, row_sums);
  } catch (const std::bad_alloc&) {
    throw Error(ExitCode::memory,
                fmt::format("{}; the factor of {} unknowns does not fit", out_of_host_memory().what(), A.rows()),
                "choose type = \"cg\", or a coarser mesh", params.where);
  }
}

}  // namespace tessera::solvers
