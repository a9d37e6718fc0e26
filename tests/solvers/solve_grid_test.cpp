#include "solvers/grid/solve_grid.hpp"

#include <gtest/gtest.h>

#include "base/log.hpp"
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
        EXPECT_EQ(found.report.iterations + 1, static_cast<int>(found.report.history.size()));
        for (std::size_t i = 0; i < b.size(); ++i)
          ASSERT_NEAR(found.x[i], expected.x[i], 1e-12 * testing::norm(expected.x)) << type << " " << precision;
      }
  }
}

TYPED_TEST(SolveGrid, SolvesOnceInFloatAndSaysWhatItMisses) {
  TESSERA_REQUIRE(TypeParam);
  const std::vector<double> b = testing::random_vector(620, 1);
  clear_warnings();
  const auto found = this->solve(plane, b, {.type = "fft", .tolerance = 3e-7, .precision = "float"});
  EXPECT_TRUE(found.report.converged) << found.report.failure;
  EXPECT_EQ(found.report.iterations, 1);
  const double residual = testing::relative_residual(testing::grid_matrix(plane), b, found.x);
  EXPECT_NEAR(found.report.relative_residual / residual, 1, 1e-6);
  EXPECT_GT(residual, 3e-7);
  ASSERT_EQ(warnings().size(), 1u);
  EXPECT_NE(warnings().front().find("tolerance = 3e-07 is missed"), std::string::npos) << warnings().front();
  clear_warnings();
  EXPECT_THROW(this->solve(plane, b, {.type = "fft", .tolerance = 1e-8, .precision = "float"}), Error);
}

TYPED_TEST(SolveGrid, TakesAnyRightHandSide) {
  TESSERA_REQUIRE(TypeParam);
  const auto zero = this->solve(plane, std::vector<double>(620, 0.0), {.type = "fft"});
  EXPECT_TRUE(zero.report.converged);
  EXPECT_EQ(zero.x, std::vector<double>(620, 0.0));
  // Beyond the range of float, and beyond what squares of doubles hold, on both sides.
  const auto one = this->solve(plane, std::vector<double>(620, 1.0), {.type = "fft", .tolerance = 1e-12});
  for (const char* precision : {"double", "mixed"})
    for (double size : {1e-300, 1e-100, 1e100, 1e300}) {
      const auto found = this->solve(plane, std::vector<double>(620, size),
                                     {.type = "fft", .tolerance = 1e-12, .precision = precision});
      EXPECT_TRUE(found.report.converged) << found.report.failure;
      for (std::size_t i = 0; i < one.x.size(); ++i)
        ASSERT_NEAR(found.x[i] / size, one.x[i], 1e-12 * testing::norm(one.x));
    }
  std::vector<double> bad(620, 1.0);
  bad[33] = std::nan("");
  try {
    this->solve(plane, bad, {.type = "fft"});
    FAIL() << "NaN was solved for";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::solver);
  }
}

TYPED_TEST(SolveGrid, StopsWhereItIsAsked) {
  TESSERA_REQUIRE(TypeParam);
  const auto found = this->solve(plane, testing::random_vector(620, 1), {.type = "fft"},
                                 {.progress = {}, .stop = [] { return true; }});
  EXPECT_TRUE(found.report.interrupted);
  EXPECT_FALSE(found.report.converged);
  EXPECT_EQ(found.report.relative_residual, 1);
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
