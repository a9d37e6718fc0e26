#include "solvers/eigen/eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <numbers>

#include "base/array_memory.hpp"
#include "base/error.hpp"
#include "linalg/operator.hpp"
#include "solvers/eigen/small_problem.hpp"
#include "solvers/solve.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using solvers::EigenParams;
using solvers::EigenReport;
using testing::HostMatrix;

HostMatrix unit(Index n) {
  HostMatrix M;
  M.rows = M.cols = n;
  for (Index row = 0; row < n; ++row) {
    M.add(row, 1);
    M.end_row();
  }
  return M;
}

/// Linear elements on an interval of n + 1 cells with both ends fixed: factor times (side, middle, side) in each row.
HostMatrix of_interval(Index n, double side, double middle) {
  HostMatrix M;
  M.rows = M.cols = n;
  for (Index row = 0; row < n; ++row) {
    if (row > 0) M.add(row - 1, side);
    M.add(row, middle);
    if (row + 1 < n) M.add(row + 1, side);
    M.end_row();
  }
  return M;
}

Eigen::MatrixXd dense(const HostMatrix& A) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(A.rows, A.cols);
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) result(row, A.col_ind[k]) = A.values[k];
  return result;
}

struct Found {
  EigenReport report;
  Eigen::MatrixXd vectors;  ///< [rows, modes]
};

template <class Exec>
Found lowest(Exec& exec, const HostMatrix& A, const HostMatrix& M, const EigenParams& params,
             const std::string& preconditioner = "amg", const std::vector<Index>& fixed = {},
             int max_iterations = 1000) {
  using Space = typename Exec::Space;
  const auto of_A = A.to<Space>(), of_M = M.to<Space>();
  const linalg::CrsOperator<Exec> K(of_A), mass(of_M);
  const auto rows = to_space<Space>(fixed);
  const solvers::SolverParams solver{
      .type = "eigen", .preconditioner = preconditioner, .max_iterations = max_iterations, .method = params};
  Array<double, Space> vectors;
  Found found;
  found.report = solvers::lowest_eigenpairs(exec, solvers::EigenProblem<Exec>{K, mass, rows.view()}, solver, vectors);
  const std::vector<double> host = to_vector(vectors);
  found.vectors =
      Eigen::Map<const Eigen::MatrixXd>(host.data(), A.rows, static_cast<Eigen::Index>(host.size()) / A.rows);
  return found;
}

/// Eigenvalues of the 5-point stencil on n x n unknowns, ascending.
std::vector<double> of_square(int n) {
  std::vector<double> values;
  const auto along = [&](int i) { return 2 - 2 * std::cos(i * std::numbers::pi / (n + 1)); };
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= n; ++j) values.push_back(along(i) + along(j));
  std::sort(values.begin(), values.end());
  return values;
}

template <class Exec>
struct Lobpcg : ::testing::Test {};
TYPED_TEST_SUITE(Lobpcg, testing::Backends);

TYPED_TEST(Lobpcg, FindsTheEigenvaluesOfASquareWithThoseThatAreDouble) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  constexpr int n = 40, modes = 10;
  const HostMatrix A = testing::laplacian(n, 2), M = unit(A.rows);
  const std::vector<double> exact = of_square(n);
  for (const char* preconditioner : {"amg", "jacobi", "none"}) {
    const Found found = lowest(exec, A, M, {.modes = modes}, preconditioner);
    ASSERT_TRUE(found.report.solver.converged) << preconditioner << found.report.solver.failure;
    ASSERT_EQ(found.report.values.size(), std::size_t{modes});
    for (int k = 0; k < modes; ++k) {
      EXPECT_NEAR(found.report.values[k], exact[k], 1e-11 * exact[k]) << preconditioner << k;
      EXPECT_LE(found.report.residuals[k], 1e-8);
    }
    const Eigen::MatrixXd gram = found.vectors.transpose() * found.vectors;
    EXPECT_LE((gram - Eigen::MatrixXd::Identity(modes, modes)).norm(), 1e-12);
    // The residuals are those of these vectors.
    const Eigen::MatrixXd AX = dense(A) * found.vectors;
    for (int k = 0; k < modes; ++k)
      EXPECT_NEAR((AX.col(k) - found.report.values[k] * found.vectors.col(k)).norm() / found.report.values[k],
                  found.report.residuals[k], 1e-12);
  }
}

TYPED_TEST(Lobpcg, TakesAFewIterationsWithMultigridWhateverTheMesh) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const int n : {30, 60, 120}) {
    const HostMatrix A = testing::laplacian(n, 2);
    const Found found = lowest(exec, A, unit(A.rows), {.modes = 6});
    ASSERT_TRUE(found.report.solver.converged) << found.report.solver.failure;
    EXPECT_LE(found.report.solver.iterations, 20) << n;
  }
}

TYPED_TEST(Lobpcg, HasTheEigenvaluesOfLinearElementsWithTheirMass) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  constexpr Index n = 199;
  constexpr double h = 1.0 / (n + 1);
  const HostMatrix K = of_interval(n, -1 / h, 2 / h), M = of_interval(n, h / 6, 4 * h / 6);
  const Found found = lowest(exec, K, M, {.modes = 5});
  ASSERT_TRUE(found.report.solver.converged) << found.report.solver.failure;
  for (int k = 1; k <= 5; ++k) {
    const double c = std::cos(k * std::numbers::pi * h), exact = 6 / (h * h) * (1 - c) / (2 + c);
    EXPECT_NEAR(found.report.values[k - 1], exact, 1e-10 * exact);
  }
  EXPECT_LE((found.vectors.transpose() * dense(M) * found.vectors - Eigen::MatrixXd::Identity(5, 5)).norm(), 1e-11);
}

TYPED_TEST(Lobpcg, LeavesFixedRowsAtZero) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  constexpr int n = 12;
  std::vector<Index> fixed, free;
  for (Index row = 0; row < n * n; ++row) (row % 5 == 0 ? fixed : free).push_back(row);
  HostMatrix A = testing::laplacian(n, 2);
  const auto is_fixed = [](Index row) { return row % 5 == 0; };
  Eigen::MatrixXd reduced(free.size(), free.size());
  const Eigen::MatrixXd all = dense(A);
  for (std::size_t i = 0; i < free.size(); ++i)
    for (std::size_t j = 0; j < free.size(); ++j)
      reduced(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = all(free[i], free[j]);
  const Eigen::VectorXd exact = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(reduced).eigenvalues();
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      if (A.col_ind[k] != row && (is_fixed(row) || is_fixed(A.col_ind[k]))) A.values[k] = 0;
  for (const char* preconditioner : {"amg", "jacobi", "chebyshev"}) {
    const Found found = lowest(exec, A, unit(A.rows), {.modes = 4}, preconditioner, fixed);
    ASSERT_TRUE(found.report.solver.converged) << preconditioner << found.report.solver.failure;
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(found.report.values[k], exact[k], 1e-11) << preconditioner;
    for (const Index row : fixed) EXPECT_EQ(found.vectors.row(row).norm(), 0);
  }
}

TYPED_TEST(Lobpcg, FindsTheModeWithoutEnergyBehindAShift) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::shifted(testing::laplacian(30, 2, true), 0.01);
  const Found found = lowest(exec, A, unit(A.rows), {.modes = 3, .shift = 0.01});
  ASSERT_TRUE(found.report.solver.converged) << found.report.solver.failure;
  EXPECT_NEAR(found.report.values[0], 0, 1e-12);
  const double first = 2 - 2 * std::cos(std::numbers::pi / 30);
  EXPECT_NEAR(found.report.values[1], first, 1e-11);
  EXPECT_NEAR(found.report.values[2], first, 1e-11);
  const Eigen::VectorXd constant = found.vectors.col(0);
  EXPECT_NEAR(constant.minCoeff(), constant.maxCoeff(), 1e-7);
}

TYPED_TEST(Lobpcg, FindsAllEigenpairsOfASmallProblem) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = of_interval(6, -1, 2);
  const Found found = lowest(exec, A, unit(6), {.modes = 6}, "jacobi");
  ASSERT_TRUE(found.report.solver.converged) << found.report.solver.failure;
  for (int k = 1; k <= 6; ++k)
    EXPECT_NEAR(found.report.values[k - 1], 2 - 2 * std::cos(k * std::numbers::pi / 7), 1e-12);
}

TYPED_TEST(Lobpcg, RepeatsItselfToTheBit) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::laplacian(70, 2), M = unit(A.rows);
  TypeParam one = testing::with_threads<TypeParam>(1), two = testing::with_threads<TypeParam>(2);
  const Found first = lowest(one, A, M, {.modes = 4}), second = lowest(two, A, M, {.modes = 4});
  EXPECT_EQ(first.report.values, second.report.values);
  EXPECT_EQ(first.vectors, second.vectors);
}

TYPED_TEST(Lobpcg, SaysThatItHasNotConverged) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::laplacian(40, 2);
  const Found found = lowest(exec, A, unit(A.rows), {.modes = 4}, "jacobi", {}, 2);
  EXPECT_FALSE(found.report.solver.converged);
  EXPECT_NE(found.report.solver.failure.find("after 2 iterations"), std::string::npos) << found.report.solver.failure;
  EXPECT_EQ(found.report.values.size(), 4U);
  EXPECT_GT(found.report.solver.relative_residual, 1e-8);
}

/// On threads, where arrays are counted.
TEST(LobpcgMemory, IsWhatWasSaid) {
  Threads exec;
  const auto A = testing::laplacian(24, 3).to<Host>(), M = unit(A.rows).to<Host>();
  const linalg::CrsOperator<Threads> K(A), mass(M);
  for (const char* preconditioner : {"none", "jacobi"}) {
    const solvers::SolverParams params{
        .type = "eigen", .preconditioner = preconditioner, .max_iterations = 2, .method = EigenParams{.modes = 5}};
    const auto entries = static_cast<double>(A.nnz());
    const double bytes = solvers::solver_bytes(params, A.rows, A.nnz()) - (12 * entries + 8.0 * A.rows);  // M is ours
    reset_host_array_peak();
    const auto before = static_cast<double>(host_array_memory().now);
    Array<double> vectors;
    solvers::lowest_eigenpairs(exec, solvers::EigenProblem<Threads>{K, mass, {}}, params, vectors);
    EXPECT_NEAR((static_cast<double>(host_array_memory().peak) - before) / bytes, 1, 0.01) << preconditioner;
  }
}

TYPED_TEST(Lobpcg, RefusesMoreModesThanFreeRows) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  try {
    lowest(exec, of_interval(6, -1, 2), unit(6), {.modes = 5}, "jacobi", {0, 5});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("4 free unknowns"), std::string::npos) << error.what();
  }
}

TEST(SmallProblem, LeavesOutWhatDependsOnTheOthers) {
  Eigen::MatrixXd V = Eigen::MatrixXd::Random(20, 5);
  V.col(3) = 2 * V.col(0) - V.col(1);
  V.col(4) *= 1e-9;  // small, and independent
  const Eigen::MatrixXd B = V.transpose() * V;
  Index kept = 0;
  const std::vector<double> found =
      solvers::eigen::orthonormal_combinations(5, std::vector<double>(B.data(), B.data() + 25), kept);
  ASSERT_EQ(kept, 4);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd U = Eigen::Map<const RowMajor>(found.data(), 5, 4);
  EXPECT_LE((U.transpose() * B * U - Eigen::MatrixXd::Identity(4, 4)).norm(), 1e-10);
}

}  // namespace
}  // namespace tessera
