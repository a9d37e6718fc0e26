// Solver objects: what is kept from one solve to the next changes no bit of what comes out.
#include "solvers/linear_solver.hpp"

#include "base/memory.hpp"
#include "solvers/grid/grid_operator.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using solvers::CgParams;
using solvers::LinearSolver;
using solvers::Reuse;
using solvers::SolverParams;
using testing::HostMatrix;

/// Every method of matrices in the table.
template <class Exec>
std::vector<SolverParams> all_solvers() {
  std::vector<SolverParams> result = testing::every_iterative_solver<Exec>();
  for (SolverParams& params : result) params.tolerance = params.precision == "float" ? 1e-4 : 1e-9;
  for (SolverParams& params : testing::every_direct_solver()) {
    params.tolerance = 1e-10;
    result.push_back(params);
  }
  return result;
}

std::string describe(const SolverParams& params) {
  return params.type + " " + params.preconditioner + " " + params.precision + " " +
         params.method.as<CgParams>().variant;
}

/// The same pattern with other values, still symmetric positive definite.
HostMatrix with_other_values(HostMatrix A) {
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      A.values[k] *= A.col_ind[k] == row ? 1.5 + 0.25 * (row % 3) : 1 - 0.125 * ((row + A.col_ind[k]) % 3);
  return A;
}

template <class Exec>
struct SolverObjects : ::testing::Test {
  using Space = typename Exec::Space;
};
TYPED_TEST_SUITE(SolverObjects, testing::Backends);

TYPED_TEST(SolverObjects, OneRightHandSideAfterTheOtherIsAsWithFreshOnes) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const HostMatrix host = testing::laplacian(24, 2);
  const auto matrix = host.to<Space>();
  const linalg::CrsOperator<TypeParam> A(matrix);
  for (const SolverParams& params : all_solvers<TypeParam>()) {
    SCOPED_TRACE(describe(params));
    LinearSolver<TypeParam> solver(exec, params);
    solver.set_operator(A);
    Array<double, Space> x(A.rows());  // the same for all, so that graphs serve again
    for (unsigned seed : {1, 2, 3}) {
      const auto b = testing::random_vector(A.rows(), seed);
      const auto right = to_space<Space>(b);
      x.set_zero();
      const auto report = solver.solve(right.view(), x.view());
      const auto fresh = testing::solve(exec, host, b, params);
      EXPECT_TRUE(report.converged) << report.failure;
      EXPECT_EQ(report.iterations, fresh.report.iterations);
      EXPECT_EQ(report.history, fresh.report.history);
      ASSERT_EQ(to_vector(x), fresh.x) << "right-hand side " << seed;
    }
  }
}

TYPED_TEST(SolverObjects, NewValuesInTheSamePatternAreAsWithFreshOnes) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const HostMatrix first = testing::laplacian(24, 2), second = with_other_values(first);
  const auto b = testing::random_vector(first.rows, 1);
  const auto right = to_space<Space>(b);
  for (const SolverParams& params : all_solvers<TypeParam>()) {
    SCOPED_TRACE(describe(params));
    auto matrix = first.to<Space>();
    const linalg::CrsOperator<TypeParam> A(matrix);
    LinearSolver<TypeParam> solver(exec, params);
    solver.set_operator(A);
    Array<double, Space> x(A.rows());
    for (const HostMatrix* values : {&first, &second, &first}) {
      const auto fresh = testing::solve(exec, *values, b, params);
      copy_bytes(Host{}, values->values.data(), Space{}, matrix.values.data(), matrix.values.bytes());
      solver.set_operator(A, Reuse::pattern);
      x.set_zero();
      EXPECT_TRUE(solver.solve(right.view(), x.view()).converged);
      // Aggregates stay as they were made of the first values: see amg_test.cpp.
      if (params.preconditioner != "amg") {
        ASSERT_EQ(to_vector(x), fresh.x);
      }
      const auto found = to_vector(x);
      // Nothing has changed: another object over the same arrays.
      const linalg::CrsOperator<TypeParam> again(matrix);
      solver.set_operator(again, Reuse::all);
      x.set_zero();
      EXPECT_TRUE(solver.solve(right.view(), x.view()).converged);
      ASSERT_EQ(to_vector(x), found);
      solver.set_operator(A, Reuse::all);
    }
  }
}

TYPED_TEST(SolverObjects, AnotherSizeNeedsNoOtherObject) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const SolverParams& params : all_solvers<TypeParam>()) {
    SCOPED_TRACE(describe(params));
    LinearSolver<TypeParam> solver(exec, params);
    for (int n : {12, 20, 9}) {
      const HostMatrix host = testing::laplacian(n, 2);
      const auto matrix = host.to<Space>();
      const linalg::CrsOperator<TypeParam> A(matrix);
      const auto b = testing::random_vector(A.rows(), 1);
      const auto right = to_space<Space>(b);
      Array<double, Space> x(A.rows());
      x.set_zero();
      solver.set_operator(A, Reuse::pattern);  // not true of another size, and not believed
      EXPECT_TRUE(solver.solve(right.view(), x.view()).converged);
      ASSERT_EQ(to_vector(x), testing::solve(exec, host, b, params).x);
    }
  }
}

/// An old preconditioner serves a system that differs a little, and the answer is that of the new one.
TYPED_TEST(SolverObjects, AnOldPreconditionerServesNewValues) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const HostMatrix host = testing::laplacian(24, 2), shifted = testing::shifted(host, 0.01);
  auto matrix = host.to<Space>();
  const linalg::CrsOperator<TypeParam> A(matrix);
  const auto b = testing::random_vector(A.rows(), 1);
  const auto right = to_space<Space>(b);
  Array<double, Space> x(A.rows());
  LinearSolver<TypeParam> solver(exec, {.preconditioner = "multicolour_ssor", .tolerance = 1e-10});
  for (const HostMatrix* values : {&host, &shifted}) {
    copy_bytes(Host{}, values->values.data(), Space{}, matrix.values.data(), matrix.values.bytes());
    solver.set_operator(A, Reuse::all);
    x.set_zero();
    EXPECT_TRUE(solver.solve(right.view(), x.view()).converged);
    EXPECT_LE(testing::relative_residual(*values, b, to_vector(x)), 1.001e-10);
  }
}

TYPED_TEST(SolverObjects, AFailureDoesNotSpoilTheNextSolve) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const HostMatrix good = testing::laplacian(20, 2);
  HostMatrix bad = good;
  for (Index row = 0; row < bad.rows; ++row)
    for (Offset k = bad.row_ptr[row]; k < bad.row_ptr[row + 1]; ++k)
      if (row == 7 && bad.col_ind[k] == row) bad.values[k] = -1;
  const auto b = testing::random_vector(good.rows, 1);
  const auto right = to_space<Space>(b);
  auto matrix = good.to<Space>();
  const linalg::CrsOperator<TypeParam> A(matrix);
  Array<double, Space> x(A.rows());
  for (const char* preconditioner : {"jacobi", "chebyshev", "none"}) {
    LinearSolver<TypeParam> solver(exec, {.preconditioner = preconditioner});
    solver.set_operator(A);
    for (const HostMatrix* values : std::initializer_list<const HostMatrix*>{&good, &bad, &good}) {
      copy_bytes(Host{}, values->values.data(), Space{}, matrix.values.data(), matrix.values.bytes());
      solver.set_operator(A, Reuse::pattern);
      x.set_zero();
      EXPECT_EQ(solver.solve(right.view(), x.view()).converged, values == &good) << preconditioner;
    }
    EXPECT_EQ(to_vector(x), testing::solve(exec, good, b, {.preconditioner = preconditioner}).x);
  }
}

TYPED_TEST(SolverObjects, GridsKeepTheirTables) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const solvers::grid::GridProblem one{2, {31, 20, 1}, {0.03, 0.05, 1}, 1.5}, other{2, {31, 20, 1}, {0.03, 0.05, 1}, 2};
  for (const char* type : {"bcr", "fft"})
    for (const char* precision : {"double", "mixed"}) {
      const SolverParams params{.type = type, .precision = precision};
      LinearSolver<TypeParam> solver(exec, params);
      for (const auto& problem : {one, one, other, one}) {
        const solvers::grid::GridOperator<TypeParam> A(problem);
        const auto b = to_space<Space>(testing::random_vector(A.rows(), 1));
        Array<double, Space> x(A.rows()), fresh(A.rows());
        solver.set_operator(A, Reuse::pattern);
        EXPECT_TRUE(solver.solve(b.view(), x.view()).converged);
        solvers::solve(exec, static_cast<const linalg::Operator<TypeParam>&>(A), b.view(), fresh.view(), params);
        EXPECT_EQ(to_vector(x), to_vector(fresh)) << type << " " << precision;
      }
    }
}

TYPED_TEST(SolverObjects, RefuseWhatTheOperatorLacks) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const solvers::grid::GridOperator<TypeParam> grid({2, {5, 5, 1}, {1, 1, 1}});
  const auto matrix = testing::laplacian(5, 2).template to<typename TypeParam::Space>();
  const linalg::CrsOperator<TypeParam> entries(matrix);
  const auto refuses = [&](const SolverParams& params, const linalg::Operator<TypeParam>& A, const std::string& what,
                           const std::string& help) {
    LinearSolver<TypeParam> solver(exec, params);
    try {
      solver.set_operator(A);
      ADD_FAILURE() << describe(params) << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
      EXPECT_NE(error.help().find(help), std::string::npos) << error.help();
    }
  };
  refuses({.type = "fft"}, entries, "needs a uniform grid with constant coefficients", "\"cg\"");
  refuses({.type = "direct"}, grid, "needs the entries of the matrix in CRS, but its format is 'grid'", "\"cg\"");
  refuses({.type = "lu"}, grid, "needs the entries of the matrix in CRS", "\"gmres\"");
  refuses({.preconditioner = "multicolour_ssor"}, grid, "the preconditioner 'multicolour_ssor' needs the entries",
          "\"jacobi\"");
  EXPECT_THROW((LinearSolver<TypeParam>(exec, {.type = "lsor"})), Error) << "a relaxation takes no operator";
}

}  // namespace
}  // namespace tessera
