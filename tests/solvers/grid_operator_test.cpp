#include "solvers/grid/grid_operator.hpp"

#include <gtest/gtest.h>

#include "solvers/grid_matrices.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using solvers::grid::GridOperator;
using testing::GridProblem;

template <class Exec>
class GridOperators : public ::testing::Test {};
TYPED_TEST_SUITE(GridOperators, testing::Backends);

template <class T>
std::vector<T> in_type(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}

/// Products, sums, residuals and the diagonal against the matrix.
template <class T, class Exec>
void expect_matrix(Exec& exec, const GridProblem& grid, double tolerance) {
  using Space = typename Exec::Space;
  const testing::HostMatrix A = testing::grid_matrix(grid);
  const GridOperator<Exec, T> by_stencil(grid);
  ASSERT_EQ(by_stencil.rows(), A.rows);
  const std::vector<double> x_host = testing::random_vector(A.rows, 1), b_host = testing::random_vector(A.rows, 2);
  const std::vector<double> expected = testing::product(A, x_host);
  double largest = 0;
  for (double value : A.values) largest = std::max(largest, std::abs(value));
  const double bound = tolerance * largest;

  const auto x = to_space<Space>(in_type<T>(x_host)), b = to_space<Space>(in_type<T>(b_host));
  Array<T, Space> y(A.rows), r(A.rows), d(A.rows);
  Array<double, Space> sums(2);
  by_stencil.apply(exec, x, y);
  const std::vector<T> product = to_vector(y);
  by_stencil.apply_dot(exec, x, y, sums.data());
  EXPECT_EQ(to_vector(y), product);
  by_stencil.residual(exec, x, b, r, sums.data() + 1);
  by_stencil.diagonal(exec, d);
  const std::vector<T> residual = to_vector(r), diagonal = to_vector(d);
  double dot = 0, rr = 0;
  for (Index i = 0; i < A.rows; ++i) {
    ASSERT_NEAR(product[i], expected[i], bound);
    ASSERT_NEAR(residual[i], b_host[i] - expected[i], bound + tolerance);
    dot += x_host[i] * expected[i];
    rr += (b_host[i] - expected[i]) * (b_host[i] - expected[i]);
    for (Offset k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
      if (A.col_ind[k] == i) {
        ASSERT_NEAR(diagonal[i], A.values[k], bound);
      }
  }
  EXPECT_NEAR(to_vector(sums)[0], dot, bound * A.rows);
  EXPECT_NEAR(to_vector(sums)[1], rr, tolerance * std::max(rr, 1.0));
}

TYPED_TEST(GridOperators, EqualTheMatrix) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const GridProblem& grid : testing::small_grids()) {
    SCOPED_TRACE(testing::describe(grid));
    expect_matrix<double>(exec, grid, 1e-14);
    expect_matrix<float>(exec, grid, 5e-6);
  }
}

/// Long rows are taken in pieces, many planes in runs: their seams against the matrix.
TYPED_TEST(GridOperators, EqualTheMatrixAcrossPieces) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const testing::Stencil stencil : {testing::Stencil::star, testing::Stencil::tensor})
    for (GridProblem grid : {GridProblem{1, {8195, 1, 1}, {1, 1, 1}}, GridProblem{2, {4100, 3, 1}, {1, 2, 1}},
                             GridProblem{2, {3, 700, 1}, {1, 2, 1}}, GridProblem{3, {67, 6, 70}, {1, 2, 3}}}) {
      grid.stencil = stencil;
      grid.shift = 0.5;
      SCOPED_TRACE(testing::describe(grid));
      using Space = typename TypeParam::Space;
      const Index rows = testing::unknowns(grid);
      const std::vector<double> x_host = testing::random_vector(rows, 5);
      Array<double, Space> y(rows);
      const GridOperator<TypeParam> A(grid);
      A.apply(exec, to_space<Space>(x_host), y);
      const std::vector<double> product = to_vector(y);
      const auto w = solvers::grid::stencil_weights(grid);
      const Index nx = grid.n[0], ny = grid.dim > 1 ? grid.n[1] : 1, nz = grid.dim > 2 ? grid.n[2] : 1;
      for (Index row = 0; row < rows; ++row) {
        const Index i = row % nx, j = row / nx % ny, k = row / nx / ny;
        double sum = 0;
        for (int dz = -1; dz <= 1; ++dz)
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
              if (i + dx < 0 || i + dx >= nx || j + dy < 0 || j + dy >= ny || k + dz < 0 || k + dz >= nz) continue;
              sum += w[std::abs(dx) + 2 * std::abs(dy) + 4 * std::abs(dz)] * x_host[row + dx + nx * (dy + ny * dz)];
            }
        ASSERT_NEAR(product[row], sum, 1e-13) << row;
      }
    }
}

/// The discrete sine is an eigenvector with eigenvalue sum 4 / h^2 sin^2(pi h / 2).
TYPED_TEST(GridOperators, KnowTheEigenvalueOfTheSine) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const Index n = 63;
  const double h = 1.0 / (n + 1), pi = std::acos(-1.0);
  const GridProblem grid{2, {n, n, 1}, {h, h, 1}};
  std::vector<double> u;
  for (Index j = 1; j <= n; ++j)
    for (Index i = 1; i <= n; ++i) u.push_back(std::sin(pi * i * h) * std::sin(pi * j * h));
  Array<double, Space> y(n * n);
  GridOperator<TypeParam>(grid).apply(exec, to_space<Space>(u), y);
  const std::vector<double> product = to_vector(y);
  const double lambda = 8 / (h * h) * std::pow(std::sin(pi * h / 2), 2);
  for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(product[i], lambda * u[i], 1e-10);
}

TYPED_TEST(GridOperators, AreSolvedByConjugateGradientsInEveryPrecision) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const GridProblem grid{3, {9, 12, 15}, {0.1, 0.08, 0.06}, 2, testing::Stencil::tensor};
  const GridOperator<TypeParam> A(grid);
  const auto b = to_space<Space>(testing::random_vector(A.rows(), 3));
  for (const auto& [precision, tolerance] : {std::pair{"double", 1e-12}, {"mixed", 1e-12}, {"float", 1e-5}})
    for (const char* preconditioner : {"jacobi", "chebyshev"}) {
      Array<double, Space> x(A.rows());
      x.set_zero();
      const auto report = solvers::solve(
          exec, static_cast<const linalg::Operator<TypeParam>&>(A), b.view(), x.view(),
          {.type = "cg", .preconditioner = preconditioner, .tolerance = tolerance, .precision = precision});
      EXPECT_TRUE(report.converged) << precision << " " << preconditioner << ": " << report.failure;
    }
}

TEST(GridOperators, DoNotDependOnTheNumberOfThreads) {
  for (const GridProblem& grid : {GridProblem{2, {4100, 37, 1}, {1, 2, 1}},
                                  GridProblem{3, {20, 30, 11}, {1, 2, 3}, 1, testing::Stencil::tensor}}) {
    const std::vector<double> x = testing::random_vector(testing::unknowns(grid), 1);
    std::vector<double> first;
    for (int threads : {1, 2, 5}) {
      Threads exec(threads);
      const GridOperator<Threads> A(grid);
      Array<double> y(A.rows()), sums(2);
      const auto on_space = to_space<Host>(x);
      A.apply_dot(exec, on_space, y, sums.data());
      A.residual(exec, on_space, on_space, y, sums.data() + 1);
      if (first.empty()) first = to_vector(sums);
      EXPECT_EQ(to_vector(sums), first) << threads;
    }
  }
}

TEST(GridOperators, BoundTheirEigenvalues) {
  const GridProblem grid{2, {15, 15, 1}, {1. / 16, 1. / 16, 1}};
  EXPECT_DOUBLE_EQ(solvers::grid::largest_row_sum(grid), 8 * 256.0);
}

}  // namespace
}  // namespace tessera
