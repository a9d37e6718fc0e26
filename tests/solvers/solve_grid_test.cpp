#include "solvers/grid/solve_grid.hpp"

#include <gtest/gtest.h>

#include "solvers/grid/grid_operator.hpp"
#include "solvers/grid_matrices.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using solvers::grid::GridOperator;
using testing::GridProblem;

template <class Exec>
class SolveGrid : public ::testing::Test {
 protected:
  testing::Solution<Exec> solve(const GridProblem& grid, const std::vector<double>& b,
                                const solvers::SolverParams& params, const solvers::Monitor& monitor = {}) {
    using Space = typename Exec::Space;
    Exec exec;
    const GridOperator<Exec> A(grid);
    const auto right = to_space<Space>(b);
    Array<double, Space> x(A.rows());
    testing::Solution<Exec> result{
        solvers::solve(exec, static_cast<const linalg::Operator<Exec>&>(A), right.view(), x.view(), params, monitor),
        {}};
    result.x = to_vector(x);
    return result;
  }
};
TYPED_TEST_SUITE(SolveGrid, testing::Backends);

const GridProblem plane{2, {31, 20, 1}, {0.03, 0.05, 1}, 1.5};

TYPED_TEST(SolveGrid, EqualsTheDirectSolverInEveryPrecision) {
  TESSERA_REQUIRE(TypeParam);
  for (testing::Stencil stencil : {testing::Stencil::star, testing::Stencil::tensor}) {
    GridProblem grid = plane;
    grid.stencil = stencil;
    const testing::HostMatrix A = testing::grid_matrix(grid);
    const std::vector<double> b = testing::random_vector(A.rows, 1);
    Threads exec;
    const auto expected = testing::solve(exec, A, b, {.type = "direct", .tolerance = 1e-12});
    for (const char* type : {"bcr", "fft"})
      for (const char* precision : {"double", "mixed"}) {
        const auto found = this->solve(grid, b, {.type = type, .tolerance = 1e-13, .precision = precision});
        EXPECT_TRUE(found.report.converged) << found.report.failure;
        EXPECT_EQ(found.report.type, type);
        EXPECT_FALSE(found.report.method.empty());
        EXPECT_LE(found.report.backward_error, 1e-14);
        EXPECT_NEAR(found.report.relative_residual, testing::relative_residual(A, b, found.x), 1e-14);
        EXPECT_EQ(found.report.iterations, static_cast<int>(found.report.history.size()));
        for (std::size_t i = 0; i < b.size(); ++i)
          ASSERT_NEAR(found.x[i], expected.x[i], 1e-12 * testing::norm(expected.x)) << type << " " << precision;
      }
  }
}

TYPED_TEST(SolveGrid, SolvesOnceInFloat) {
  TESSERA_REQUIRE(TypeParam);
  const auto found =
      this->solve(plane, testing::random_vector(620, 1), {.type = "fft", .tolerance = 1e-12, .precision = "float"});
  EXPECT_TRUE(found.report.converged) << found.report.failure;
  EXPECT_EQ(found.report.iterations, 1);
  EXPECT_GT(found.report.relative_residual, 1e-12);
  EXPECT_LT(found.report.backward_error, 1e-6);
}

TYPED_TEST(SolveGrid, TakesAnyRightHandSide) {
  TESSERA_REQUIRE(TypeParam);
  auto zero = this->solve(plane, std::vector<double>(620, 0.0), {.type = "fft"});
  EXPECT_TRUE(zero.report.converged);
  EXPECT_EQ(zero.x, std::vector<double>(620, 0.0));
  // Beyond the range of float, which the scaling of mixed precision brings back, and beyond that of double.
  auto large =
      this->solve(plane, std::vector<double>(620, 1e100), {.type = "fft", .tolerance = 1e-12, .precision = "mixed"});
  EXPECT_TRUE(large.report.converged) << large.report.failure;
  auto infinite = this->solve(plane, std::vector<double>(620, 1e300), {.type = "fft", .tolerance = 1e-12});
  EXPECT_FALSE(infinite.report.converged);
  EXPECT_NE(infinite.report.failure.find("range"), std::string::npos) << infinite.report.failure;
}

TYPED_TEST(SolveGrid, StopsWhereItIsAsked) {
  TESSERA_REQUIRE(TypeParam);
  const auto found = this->solve(plane, testing::random_vector(620, 1), {.type = "fft"},
                                 {.progress = {}, .stop = [] { return true; }});
  EXPECT_TRUE(found.report.interrupted);
  EXPECT_FALSE(found.report.converged);
}

TYPED_TEST(SolveGrid, RefusesAMatrix) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const char* type : {"bcr", "fft"}) try {
      testing::solve(exec, testing::laplacian(5, 2), std::vector<double>(25, 1.0), {.type = type});
      FAIL() << "a matrix was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find("needs a uniform grid"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace tessera
