#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "solvers/solve.hpp"
#include "support/matrices.hpp"

namespace tessera {
namespace {

using testing::HostMatrix;

struct Lu : ::testing::Test {
  Threads exec;
  solvers::SolverParams params{.type = "lu", .tolerance = 1e-12};

  solvers::Report solve(const HostMatrix& A, const std::vector<double>& b, std::vector<double>& x) {
    const auto matrix = A.to<Host>();
    const auto right = to_space<Host>(b);
    Array<double> solution(A.rows);
    const auto report = solvers::solve(exec, matrix, right, solution, params);
    x = to_vector(solution);
    return report;
  }
};

/// The Laplacian with its entries above the diagonal made `factor` times as large: convection along the numbering.
HostMatrix one_sided(int n, int dim, double factor) {
  HostMatrix A = testing::laplacian(n, dim);
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      if (A.col_ind[k] > row) A.values[k] *= factor;
  return A;
}

TEST_F(Lu, RecoversAKnownSolutionOfUnsymmetricMatrices) {
  for (double factor : {1.0, 0.2, -3.0}) {
    const HostMatrix A = one_sided(20, 2, factor);
    const auto x = testing::random_vector(A.rows, 3);
    std::vector<double> b(x.size(), 0.0), found;
    for (Index row = 0; row < A.rows; ++row)
      for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) b[row] += A.values[k] * x[A.col_ind[k]];
    const auto report = solve(A, b, found);
    EXPECT_TRUE(report.converged) << report.failure;
    EXPECT_EQ(report.type, "lu");
    EXPECT_TRUE(report.preconditioner.empty());
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(found[i], x[i], 1e-9) << factor;
  }
}

TEST_F(Lu, ReportsASingularMatrix) {
  HostMatrix A = one_sided(5, 2, 0.5);
  for (Offset k = A.row_ptr[7]; k < A.row_ptr[8]; ++k) A.values[k] = 0;
  std::vector<double> x;
  const auto report = solve(A, std::vector<double>(A.rows, 1.0), x);
  EXPECT_FALSE(report.converged);
  EXPECT_NE(report.failure.find("singular"), std::string::npos) << report.failure;
}

/// Rows sum to zero, and b is in the range: any constant may be added to x.
TEST_F(Lu, ReportsAMatrixThatIsSingularToRounding) {
  HostMatrix A = testing::laplacian(40, 1, true);
  for (Index row = 0; row < A.rows; ++row) {
    double sum = 0;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      if (A.col_ind[k] != row) sum += A.values[k] *= A.col_ind[k] > row ? 0.7 : 1.1;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      if (A.col_ind[k] == row) A.values[k] = -sum;
  }
  const auto x = testing::random_vector(A.rows, 5);
  std::vector<double> b(x.size(), 0.0), found;
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) b[row] += A.values[k] * x[A.col_ind[k]];
  const auto report = solve(A, b, found);
  EXPECT_FALSE(report.converged);
  EXPECT_NE(report.failure.find("singular to rounding: the pivot of column"), std::string::npos) << report.failure;
}

TEST_F(Lu, ReportsAValueThatIsNotFinite) {
  HostMatrix A = one_sided(5, 2, 0.5);
  A.values[17] = std::nan("");
  std::vector<double> x;
  const auto report = solve(A, std::vector<double>(A.rows, 1.0), x);
  EXPECT_FALSE(report.converged);
  EXPECT_NE(report.failure.find("not finite"), std::string::npos) << report.failure;
}

TEST_F(Lu, CountsRefinements) {
  std::vector<double> x;
  const auto report = solve(one_sided(10, 2, 0.5), std::vector<double>(100, 1.0), x);
  ASSERT_TRUE(report.converged);
  EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
  EXPECT_EQ(report.history.back(), report.relative_residual);
  params.tolerance = 1e-300;  // below reach
  const auto refined = solve(one_sided(10, 2, 0.5), std::vector<double>(100, 1.0), x);
  EXPECT_TRUE(refined.converged) << "judged by its backward error";
  EXPECT_LE(refined.backward_error, 16 * std::numeric_limits<double>::epsilon());
  EXPECT_GT(refined.relative_residual, 0);
  EXPECT_EQ(refined.iterations, 2);
}

TEST_F(Lu, TakesAMatrixWithoutRows) {
  std::vector<double> x;
  EXPECT_TRUE(solve(testing::laplacian(0, 1), {}, x).converged);
}

TEST_F(Lu, FactorsInDoubleOnly) {
  params.precision = "mixed";
  std::vector<double> x;
  try {
    solve(one_sided(3, 1, 0.5), {1, 2, 3}, x);
    FAIL() << "mixed precision was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("lu factors in double"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.help()).find("gmres"), std::string::npos) << error.help();
  }
}

}  // namespace
}  // namespace tessera
