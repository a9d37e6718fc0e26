#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "base/log.hpp"
#include "solvers/krylov/cg_impl.hpp"
#include "solvers/precondition/ssor.hpp"
#include "solvers/solve.hpp"
#include "support/backends.hpp"
#include "support/matrices.hpp"

namespace tessera {
namespace {

using solvers::Report;
using solvers::SolverParams;
using testing::HostMatrix;

template <class Exec>
struct Solved {
  Report report;
  std::vector<double> x;
};

template <class Exec>
Solved<Exec> solve_on(Exec& exec, const HostMatrix& A, const std::vector<double>& b, const SolverParams& params,
                      std::vector<double> guess = {}, const solvers::Monitor& monitor = {}) {
  using Space = typename Exec::Space;
  guess.resize(b.size(), 0.0);
  const auto matrix = A.to<Space>();
  const auto device_b = to_space<Space>(b);
  auto x = to_space<Space>(guess);
  Solved<Exec> result{solvers::solve(exec, matrix, device_b, x, params, monitor), {}};
  result.x = to_vector(x);
  return result;
}

double relative_residual(const HostMatrix& A, const std::vector<double>& b, const std::vector<double>& x) {
  double rr = 0, bb = 0;
  for (Index row = 0; row < A.rows; ++row) {
    double r = b[row];
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) r -= A.values[k] * x[A.col_ind[k]];
    rr += r * r;
    bb += b[row] * b[row];
  }
  return std::sqrt(rr / bb);
}

/// The first iteration whose residual met the tolerance.
int first_below(const Report& report, double tolerance) {
  for (std::size_t i = 0; i < report.history.size(); ++i)
    if (report.history[i] <= tolerance) return static_cast<int>(i);
  return -1;
}

std::vector<double> ones(const HostMatrix& A) { return std::vector<double>(static_cast<std::size_t>(A.rows), 1.0); }

template <class Exec>
struct ConjugateGradients : ::testing::Test {};
TYPED_TEST_SUITE(ConjugateGradients, testing::Backends);

TYPED_TEST(ConjugateGradients, TakeTheKnownNumbersOfIterations) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  struct Case {
    int dim, n, iterations;
  };
  for (const Case c : {Case{2, 31, 58}, {2, 63, 118}, {2, 127, 237}, {3, 15, 38}, {3, 31, 77}}) {
    const HostMatrix A = testing::laplacian(c.n, c.dim);
    for (const char* preconditioner : {"none", "jacobi"}) {
      const auto solved = solve_on(exec, A, ones(A), {.preconditioner = preconditioner, .tolerance = 1e-8});
      EXPECT_TRUE(solved.report.converged) << solved.report.failure;
      EXPECT_NEAR(first_below(solved.report, 1e-8), c.iterations, 1)
          << c.dim << "-D, n = " << c.n << ", " << preconditioner;
      EXPECT_LE(relative_residual(A, ones(A), solved.x), 1e-8);
      EXPECT_NEAR(solved.report.relative_residual, relative_residual(A, ones(A), solved.x), 1e-12);
      EXPECT_EQ(solved.report.history.size(), static_cast<std::size_t>(solved.report.iterations) + 1);
    }
  }
}

/// A diagonal that does not say so, and counts.
template <class Exec>
struct AppliedDiagonal final : solvers::Preconditioner<Exec> {
  Array<double, typename Exec::Space> inverse;
  int applied = 0;
  std::string set_up(Exec&, const linalg::Operator<Exec>&, const linalg::Operator<Exec>&, linalg::Sign,
                     solvers::Reuse) override {
    return {};
  }
  void apply(Exec& exec, View<const double> r, View<double> z) override {
    ++applied;
    linalg::multiply(exec, inverse, r, z);
  }
};

TYPED_TEST(ConjugateGradients, ApplyAPreconditionerOnceAnIteration) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const HostMatrix A = testing::laplacian(31, 2);
  const auto matrix = A.to<Space>();
  const linalg::CrsOperator<TypeParam> as_operator(matrix);
  AppliedDiagonal<TypeParam> M;
  M.inverse = to_space<Space>(std::vector<double>(static_cast<std::size_t>(A.rows), 0.25));
  const SolverParams params{.preconditioner = "jacobi", .tolerance = 1e-10, .check_every = 1};
  const auto iteration = solvers::Cg<TypeParam, double>::make(exec, as_operator, M, params);
  const auto b = to_space<Space>(ones(A));
  auto x = to_space<Space>(std::vector<double>(static_cast<std::size_t>(A.rows), 0.0));
  solvers::PlainEquation<TypeParam, double> equation(exec);
  equation.set(as_operator, b, x, {});
  const Report report = iteration->run(equation, {});
  EXPECT_TRUE(report.converged) << report.failure;
  // What a graph replays does not come here.
  if (std::is_same_v<TypeParam, Threads>) {
    EXPECT_EQ(M.applied, report.iterations);
  }
  const auto same = solve_on(exec, A, ones(A), params);
  EXPECT_EQ(report.iterations, same.report.iterations);
  const auto found = to_vector(x);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], same.x[i], 1e-12 * std::abs(same.x[i]));
  // Interrupted, x is that of the iterations that were done.
  auto short_of = to_space<Space>(std::vector<double>(found.size(), 0.0));
  equation.set(as_operator, b, short_of, {});
  int looks = 0;
  const Report stopped = iteration->run(equation, {.progress = {}, .stop = [&] { return ++looks == 7; }});
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(stopped.iterations, (std::is_same_v<TypeParam, Threads> ? 7 : 8));  // one is queued by then
  EXPECT_NEAR(stopped.relative_residual, report.history.at(static_cast<std::size_t>(stopped.iterations)), 1e-12);
}

TYPED_TEST(ConjugateGradients, ReachSmallResidualsInOneTwoAndThreeDimensions) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (auto [dim, n] : {std::pair{1, 1}, {1, 2}, {1, 200}, {2, 40}, {3, 12}})
    for (int check_every : {1, 3, 10, 64}) {
      const HostMatrix A = testing::laplacian(n, dim);
      const auto b = testing::random_vector(A.rows, 11);
      const auto solved = solve_on(exec, A, b, {.tolerance = 1e-12, .check_every = check_every});
      EXPECT_TRUE(solved.report.converged) << solved.report.failure;
      EXPECT_TRUE(solved.report.failure.empty());
      EXPECT_LE(relative_residual(A, b, solved.x), 1.5e-12) << dim << " " << n << " " << check_every;
    }
}

TYPED_TEST(ConjugateGradients, JacobiMastersBadScaling) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  HostMatrix A = testing::laplacian(63, 2);
  auto scale = testing::random_vector(A.rows, 2);
  for (double& s : scale) s = std::pow(10.0, 2 * s);
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) A.values[k] *= scale[row] * scale[A.col_ind[k]];
  const auto solved = solve_on(exec, A, ones(A), {.tolerance = 1e-8, .max_iterations = 1000});
  EXPECT_TRUE(solved.report.converged) << solved.report.failure;
  EXPECT_LE(relative_residual(A, ones(A), solved.x), 1e-8);
  const auto plain = solve_on(exec, A, ones(A), {.preconditioner = "none", .tolerance = 1e-8, .max_iterations = 1000});
  EXPECT_FALSE(plain.report.converged);
  EXPECT_EQ(plain.report.iterations, 1000);
  EXPECT_NE(plain.report.failure.find("after 1000 iterations"), std::string::npos) << plain.report.failure;
}

TYPED_TEST(ConjugateGradients, StartFromTheGuess) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::laplacian(30, 2);
  const auto first = solve_on(exec, A, ones(A), {.tolerance = 1e-10});
  const auto again = solve_on(exec, A, ones(A), {.tolerance = 1e-9}, first.x);
  EXPECT_TRUE(again.report.converged);
  EXPECT_EQ(again.report.iterations, 0);
  EXPECT_EQ(again.x, first.x);
}

TYPED_TEST(ConjugateGradients, ZeroRightHandSideGivesZero) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::laplacian(20, 2);
  const std::vector<double> zero(400, 0.0);
  const auto solved = solve_on(exec, A, zero, {}, testing::random_vector(400, 3));
  EXPECT_TRUE(solved.report.converged);
  EXPECT_EQ(solved.report.iterations, 0);
  EXPECT_EQ(solved.x, zero);
}

TYPED_TEST(ConjugateGradients, NoUnknownsAreFine) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  EXPECT_TRUE(solve_on(exec, HostMatrix{}, {}, {}).report.converged);
}

TYPED_TEST(ConjugateGradients, AbsoluteToleranceSuffices) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::laplacian(30, 2);
  const auto solved = solve_on(exec, A, ones(A), {.tolerance = 1e-12, .absolute_tolerance = 1e-2, .check_every = 1});
  EXPECT_TRUE(solved.report.converged);
  EXPECT_GT(solved.report.relative_residual, 1e-6);
  EXPECT_LE(solved.report.relative_residual * 30, 1e-2);
}

TYPED_TEST(ConjugateGradients, ReportAnIndefiniteMatrix) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  HostMatrix A = testing::laplacian(20, 2);
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      if (A.col_ind[k] == row) A.values[k] = 1;
  const auto solved = solve_on(exec, A, testing::random_vector(A.rows, 1), {.preconditioner = "none"});
  EXPECT_FALSE(solved.report.converged);
  EXPECT_NE(solved.report.failure.find("not positive definite"), std::string::npos) << solved.report.failure;
  for (double value : solved.x) ASSERT_TRUE(std::isfinite(value));
}

TYPED_TEST(ConjugateGradients, NameTheRowOfABadDiagonal) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    HostMatrix A = testing::laplacian(20, 2);
    for (Offset k = A.row_ptr[123]; k < A.row_ptr[124]; ++k)
      if (A.col_ind[k] == 123) A.values[k] = bad;
    const auto solved = solve_on(exec, A, ones(A), {});
    EXPECT_FALSE(solved.report.converged);
    EXPECT_NE(solved.report.failure.find("row 123"), std::string::npos) << solved.report.failure;
  }
}

TYPED_TEST(ConjugateGradients, ReportWhatIsNotFinite) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  HostMatrix A = testing::laplacian(20, 2);
  auto b = ones(A);
  b[17] = nan;
  Report report = solve_on(exec, A, b, {}).report;
  EXPECT_FALSE(report.converged);
  EXPECT_NE(report.failure.find("entry 17"), std::string::npos) << report.failure;
  auto guess = ones(A);
  guess[3] = nan;
  report = solve_on(exec, A, ones(A), {}, guess).report;
  EXPECT_FALSE(report.converged);
  EXPECT_FALSE(report.failure.empty());
  A.values[1] = nan;
  report = solve_on(exec, A, ones(A), {}).report;
  EXPECT_FALSE(report.converged);
  EXPECT_NE(report.failure.find("not finite"), std::string::npos) << report.failure;
}

TYPED_TEST(ConjugateGradients, SingularSystemsConvergeOnlyWhereASolutionExists) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::laplacian(25, 2, true);
  auto b = testing::random_vector(A.rows, 5);
  Report report = solve_on(exec, A, b, {.max_iterations = 20000}).report;
  EXPECT_FALSE(report.converged);
  EXPECT_FALSE(report.failure.empty());
  double mean = 0;
  for (double value : b) mean += value / static_cast<double>(b.size());
  for (double& value : b) value -= mean;
  const auto solved = solve_on(exec, A, b, {});
  EXPECT_TRUE(solved.report.converged) << solved.report.failure;
  EXPECT_LE(relative_residual(A, b, solved.x), 1e-8);
}

TYPED_TEST(ConjugateGradients, SayWhereAToleranceIsBelowReach) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::laplacian(127, 2);
  clear_warnings();
  const auto solved = solve_on(exec, A, ones(A), {.tolerance = 1e-15});
  // The residual is rounding of the terms that it is made of: there is no better solution in double.
  EXPECT_TRUE(solved.report.converged) << solved.report.failure;
  EXPECT_LE(solved.report.backward_error, 16 * std::numeric_limits<double>::epsilon());
  ASSERT_EQ(warnings().size(), 1u);
  EXPECT_NE(warnings().front().find("tolerance = 1e-15 is missed"), std::string::npos) << warnings().front();
  clear_warnings();
  EXPECT_LT(solved.report.relative_residual, 1e-10);
  EXPECT_NEAR(solved.report.relative_residual / relative_residual(A, ones(A), solved.x), 1, 0.5);
}

TYPED_TEST(ConjugateGradients, RepeatBitwise) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::laplacian(25, 3);
  const auto b = testing::random_vector(A.rows, 6);
  std::vector<double> first;
  for (int round = 0; round < 3; ++round) {
    TypeParam exec;
    const auto solved = solve_on(exec, A, b, {});
    if (round == 0) first = solved.x;
    EXPECT_EQ(solved.x, first);
  }
}

TYPED_TEST(ConjugateGradients, LetTheCallerWatchAndStop) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::laplacian(60, 2);
  int calls = 0, last = 0;
  const solvers::Monitor monitor{[&](int iteration, double residual) {
                                   ++calls;
                                   EXPECT_GT(iteration, last);
                                   EXPECT_GT(residual, 0);
                                   last = iteration;
                                 },
                                 [&] { return calls == 4; }};
  const auto solved = solve_on(exec, A, ones(A), {}, {}, monitor);
  EXPECT_TRUE(solved.report.interrupted);
  EXPECT_FALSE(solved.report.converged);
  EXPECT_EQ(calls, (std::is_same_v<TypeParam, Threads> ? 4 : 5));  // a block is queued by then
  EXPECT_EQ(solved.report.iterations, last);
}

TYPED_TEST(ConjugateGradients, MayBeAskedForLess) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::laplacian(60, 2);
  for (const char* precision : {"double", "mixed", "float"}) {
    SCOPED_TRACE(precision);
    const SolverParams params{.tolerance = 1e-6, .precision = precision};
    const auto all = solve_on(exec, A, ones(A), params);
    const auto less = solve_on(exec, A, ones(A), params, {}, {.progress = {}, .stop = {}, .tolerance = 1e-2});
    EXPECT_TRUE(less.report.converged) << less.report.failure;
    EXPECT_LE(less.report.relative_residual, 1e-2);
    EXPECT_GT(less.report.relative_residual, 1e-6);
    EXPECT_LT(less.report.iterations, all.report.iterations);
    const auto no_less = solve_on(exec, A, ones(A), params, {}, {.progress = {}, .stop = {}, .tolerance = 1e-9});
    EXPECT_EQ(no_less.report.iterations, all.report.iterations);
  }
}

TEST(Ssor, TakesTheKnownNumbersOfIterations) {
  Threads exec;
  struct Case {
    int dim, n, one, one_and_half, best;
  };
  for (const Case c : {Case{2, 31, 33, 22, 23},
                       {2, 63, 60, 38, 34},
                       {2, 127, 117, 71, 49},
                       {3, 15, 20, 16, 16},
                       {3, 31, 38, 25, 24}}) {
    const HostMatrix A = testing::laplacian(c.n, c.dim);
    const double best = 2 / (1 + std::sin(std::numbers::pi / (c.n + 1)));
    for (auto [omega, iterations] : {std::pair{1.0, c.one}, {1.5, c.one_and_half}, {best, c.best}}) {
      const auto solved = solve_on(
          exec, A, ones(A),
          {.preconditioner = "ssor", .tolerance = 1e-8, .preconditioning = solvers::SweepParams{.relaxation = omega}});
      EXPECT_TRUE(solved.report.converged);
      EXPECT_NEAR(solved.report.iterations, iterations, 1) << c.dim << "-D, n = " << c.n << ", omega = " << omega;
    }
  }
}

TEST(SolversOnThreads, DoNotDependOnTheirNumber) {
  const HostMatrix A = testing::laplacian(30, 3);
  const auto b = testing::random_vector(A.rows, 6);
  for (const char* preconditioner : {"none", "jacobi", "ssor"}) {
    std::vector<double> first;
    for (int threads : {1, 2, 3}) {
      Threads exec(threads);
      const auto solved = solve_on(exec, A, b, {.preconditioner = preconditioner});
      if (threads == 1) first = solved.x;
      EXPECT_EQ(solved.x, first) << preconditioner << " " << threads;
    }
  }
}

}  // namespace
}  // namespace tessera
