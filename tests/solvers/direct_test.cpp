#include <cmath>

#include "solvers/solve.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

using testing::HostMatrix;

struct Direct : ::testing::Test {
  Threads exec;
  solvers::SolverParams params{.type = "direct", .tolerance = 1e-12};
  std::vector<double> solution;

  solvers::Report solve(const HostMatrix& A, const std::vector<double>& b) {
    const auto matrix = A.to<Host>();
    const auto right = to_space<Host>(b);
    Array<double> x(A.rows);
    x.set_zero();
    const auto report = solvers::solve(exec, matrix, right, x, params);
    solution = to_vector(x);
    return report;
  }
};

TEST_F(Direct, RecoversAKnownSolution) {
  for (auto [dim, n] : {std::pair{1, 1}, {1, 50}, {2, 30}, {3, 10}}) {
    const HostMatrix A = testing::laplacian(n, dim);
    const auto x = testing::random_vector(A.rows, 3);
    std::vector<double> b(x.size(), 0.0);
    for (Index row = 0; row < A.rows; ++row)
      for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) b[row] += A.values[k] * x[A.col_ind[k]];
    const auto report = solve(A, b);
    EXPECT_TRUE(report.converged) << report.failure;
    EXPECT_EQ(report.type, "direct");
    EXPECT_LE(report.relative_residual, 1e-12);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(solution[i], x[i], 1e-10);
  }
}

TEST_F(Direct, ZeroRightHandSideGivesZero) {
  const HostMatrix A = testing::laplacian(10, 2);
  EXPECT_TRUE(solve(A, std::vector<double>(100, 0.0)).converged);
  EXPECT_EQ(solution, std::vector<double>(100, 0.0));
}

TEST_F(Direct, NamesWhatMakesAMatrixSingular) {
  auto report = solve(testing::laplacian(20, 2, true), testing::random_vector(400, 1));
  EXPECT_FALSE(report.converged);
  EXPECT_NE(report.failure.find("singular"), std::string::npos) << report.failure;

  HostMatrix A = testing::laplacian(20, 2);
  for (Offset k = A.row_ptr[77]; k < A.row_ptr[78]; ++k) A.values[k] = 0;
  for (std::size_t k = 0; k < A.col_ind.size(); ++k)
    if (A.col_ind[k] == 77) A.values[k] = 0;
  report = solve(A, std::vector<double>(400, 1.0));
  EXPECT_FALSE(report.converged);
  EXPECT_NE(report.failure.find("row 77"), std::string::npos) << report.failure;
}

TEST_F(Direct, AgreesWithConjugateGradients) {
  const HostMatrix A = testing::laplacian(12, 3);
  const auto b = testing::random_vector(A.rows, 8);
  ASSERT_TRUE(solve(A, b).converged);
  const auto direct = solution;
  params = {.tolerance = 1e-12};
  ASSERT_TRUE(solve(A, b).converged);
  for (std::size_t i = 0; i < direct.size(); ++i) ASSERT_NEAR(direct[i], solution[i], 1e-10);
}

TEST_F(Direct, NoUnknownsAreFine) { EXPECT_TRUE(solve(HostMatrix{}, {}).converged); }

}  // namespace
}  // namespace tessera
