#include "solvers/direct/ldlt.hpp"

#include <fmt/format.h>

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <cmath>
#include <limits>

#include "solvers/direct/direct_method.hpp"
#include "solvers/direct/on_host.hpp"

namespace tessera::solvers {
namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
using Factor = Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::AMDOrdering<int>>;
using Vector = Eigen::VectorXd;

/// A pivot this much smaller than the diagonal entry it started from has lost all its digits: A is singular to
/// rounding.
constexpr double pivot_lost = 1e-14;

/// The lower triangle by columns, which for a symmetric A is the upper one by rows.
Matrix lower_triangle(const linalg::CrsView<const double>& A) {
  if (A.values.size() > std::numeric_limits<int>::max())
    throw Error(ExitCode::usage,
                fmt::format("the direct solver takes 2^31 non-zeros at most, this matrix has {}", A.values.size()),
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

class Ldlt {
 public:
  void analyse(const linalg::CrsView<const double>& A, const SolverParams&) {
    lower_ = lower_triangle(A);
    factor_.analyzePattern(lower_);
  }
  std::string factorise(const linalg::CrsView<const double>& A) {
    double* value = lower_.valuePtr();
    for (Index row = 0; row < A.rows; ++row)
      for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
        if (A.col_ind[k] >= row) *value++ = A.values[k];
    factor_.factorize(lower_);
    return describe_bad_pivot(factor_, lower_);
  }
  Vector solve(const Vector& r) const { return factor_.solve(r); }

 private:
  Matrix lower_;
  Factor factor_;
};

std::unique_ptr<Method<Threads>> make_ldlt(const SolverParams& params) {
  return std::make_unique<DirectMethod<Ldlt>>(params, "cg");
}

}  // namespace

MethodEntry ldlt_entry() {
  return {
      .name = "direct",
      .help =
          "sparse L D L^T factorisation (Eigen, approximate minimum degree); for small and middling systems; on "
          "CUDA the host factors",
      .kind = MethodKind::direct,
      .needs = {.symmetric = true, .entries = true},
      .bytes = [](const SolverParams&, const ProblemSize& size) { return factor_bytes(size, factor_entries(size)); },
      .set_up_seconds = [](const ProblemSize& size) { return factor_seconds(size, factor_entries(size)); },
      .make_threads = make_ldlt,
      .make_cuda = TESSERA_ON_CUDA(make_on_host<make_ldlt>)};
}

}  // namespace tessera::solvers
