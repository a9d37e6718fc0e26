// Systems of discretised problems: fixed rows, levels, loads, estimates.
#include <cmath>
#include <numeric>

#include "base/log.hpp"
#include "solvers/reference_norm.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using testing::HostMatrix;

/// -u'' on n nodes of unit spacing with springs `stiffness` to fixed ends: rows 0 and n - 1 are decoupled, as
/// elimination leaves them.
struct Chain {
  HostMatrix A;
  std::vector<double> b;
  std::vector<Index> rows;
  std::vector<double> values;

  Chain(Index n, double stiffness, double left, double right, double source = 0) : rows{0, n - 1}, values{left, right} {
    A.rows = A.cols = n;
    for (Index i = 0; i < n; ++i) {
      const bool fixed = i == 0 || i == n - 1;
      const double before = i == 1 ? stiffness : 1, after = i == n - 2 ? stiffness : 1;
      if (!fixed && i > 1) A.add(i - 1, -1);
      A.add(i, fixed ? stiffness : before + after);
      if (!fixed && i < n - 2) A.add(i + 1, -1);
      A.end_row();
      b.push_back(i == 0 ? stiffness * left : i == n - 1 ? stiffness * right : source);
    }
    b[1] += stiffness * left;
    b[n - 2] += stiffness * right;
  }
};

template <class Exec>
struct Shift : ::testing::Test {
  testing::Solution<Exec> solve(const Chain& chain, const solvers::SolverParams& params,
                                std::vector<double> start = {}) {
    using Space = typename Exec::Space;
    Exec exec;  // not before the test has looked for a device
    const auto matrix = chain.A.template to<Space>();
    const linalg::CrsOperator<Exec> A(matrix);
    const auto b = to_space<Space>(chain.b);
    const auto rows = to_space<Space>(chain.rows);
    const auto values = to_space<Space>(chain.values);
    const bool started = !start.empty();
    start.resize(chain.b.size(), std::nan(""));  // not to be read without
    auto x = to_space<Space>(start);
    testing::Solution<Exec> result{solvers::solve(exec, static_cast<const linalg::Operator<Exec>&>(A), b.view(),
                                                  x.view(), params, {}, {rows.view(), values.view(), started}),
                                   {}};
    result.x = to_vector(x);
    return result;
  }
};
TYPED_TEST_SUITE(Shift, testing::Backends);

TYPED_TEST(Shift, StiffFixedNeighboursDoNotHideTheRest) {
  TESSERA_REQUIRE(TypeParam);
  // The ends have a stiffness of 1e9: 1e-8 of the right-hand side is a flow of 10, a thousand times what flows.
  const Chain chain(102, 1e9, 0, 1);
  for (const char* type : {"cg", "minres", "bicgstab", "gmres", "direct", "lu"}) {
    const auto found = this->solve(chain, {.type = type, .method = solvers::GmresParams{.restart = 110}});
    EXPECT_TRUE(found.report.converged) << type << ": " << found.report.failure;
    for (int i = 0; i < 102; ++i) ASSERT_NEAR(found.x[i], (i - 1) / 99.0, i == 0 || i == 101 ? 0.011 : 1e-5) << type;
    EXPECT_EQ(found.x.front(), 0);
    EXPECT_EQ(found.x.back(), 1);
  }
}

TYPED_TEST(Shift, ALevelChangesNothingElse) {
  TESSERA_REQUIRE(TypeParam);
  const Chain plain(200, 1, 0, 1, 0.001), raised(200, 1, 1e6, 1e6 + 1, 0.001);
  for (const char* precision : {"double", "mixed", "float"}) {
    const double tolerance = precision == std::string("float") ? 1e-4 : 1e-8;
    const auto low = this->solve(plain, {.tolerance = tolerance, .precision = precision});
    const auto high = this->solve(raised, {.tolerance = tolerance, .precision = precision});
    EXPECT_TRUE(low.report.converged && high.report.converged) << precision << high.report.failure;
    EXPECT_NEAR(low.report.iterations, high.report.iterations, 2);
    for (int i = 0; i < 200; ++i)
      ASSERT_NEAR(high.x[i] - 1e6, low.x[i], precision == std::string("float") ? 1e-2 : 1e-5) << precision;
  }
}

TYPED_TEST(Shift, AConstantIsFoundAtOnce) {
  TESSERA_REQUIRE(TypeParam);
  const auto found = this->solve(Chain(200, 3, 293.15, 293.15), {.tolerance = 1e-12});
  EXPECT_TRUE(found.report.converged);
  EXPECT_EQ(found.report.iterations, 0);
  EXPECT_EQ(found.report.relative_residual, 0);
  for (double u : found.x) ASSERT_NEAR(u, 293.15, 1e-10);
}

TYPED_TEST(Shift, StartsWhereItIsTold) {
  TESSERA_REQUIRE(TypeParam);
  const Chain chain(100, 1, 0, 99);
  std::vector<double> start(100);
  for (int i = 0; i < 100; ++i) start[i] = i;
  EXPECT_EQ(this->solve(chain, {.tolerance = 1e-10}, start).report.iterations, 0);
  start[50] += 1;
  const auto found = this->solve(chain, {.tolerance = 1e-10}, start);
  EXPECT_GT(found.report.iterations, 0);
  for (int i = 0; i < 100; ++i) ASSERT_NEAR(found.x[i], i, 1e-6);
}

/// The estimate is the error of some iterations before the end, so no less than that of the end and not far above.
TYPED_TEST(Shift, CgEstimatesItsEnergyError) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::laplacian(60, 2);
  const auto exact = testing::random_vector(A.rows, 4);
  const auto b = testing::product(A, exact);
  for (const char* variant : {"standard", "single_reduction"})
    for (const char* precision : {"double", "mixed"})
      for (double tolerance : {1e-3, 1e-6}) {
        const auto found = testing::solve(
            exec, A, b,
            {.tolerance = tolerance, .method = solvers::CgParams{.variant = variant}, .precision = precision});
        std::vector<double> e(exact.size());
        for (std::size_t i = 0; i < e.size(); ++i) e[i] = exact[i] - found.x[i];
        const auto dot = [](const std::vector<double>& x, const std::vector<double>& y) {
          double sum = 0;
          for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
          return sum;
        };
        const double error = std::sqrt(dot(e, testing::product(A, e))), energy = std::sqrt(dot(exact, b));
        EXPECT_GT(found.report.energy_error, error) << variant << " " << precision << " " << tolerance;
        EXPECT_LT(found.report.energy_error, 300 * error) << variant << " " << precision << " " << tolerance;
        EXPECT_NEAR(found.report.relative_energy_error, found.report.energy_error / energy,
                    1e-2 * found.report.relative_energy_error);
      }
  EXPECT_EQ(testing::solve(exec, A, b, {.type = "minres"}).report.energy_error, 0);
}

/// Of a few iterations that win much each, the error is not that of the start.
TYPED_TEST(Shift, CgEstimatesItsEnergyErrorAfterFewIterationsToo) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::laplacian(60, 2);
  const auto exact = testing::random_vector(A.rows, 4);
  const auto b = testing::product(A, exact);
  const auto found = testing::solve(exec, A, b, {.preconditioner = "amg", .tolerance = 1e-9});
  ASSERT_LE(found.report.iterations, 20);
  std::vector<double> e(exact.size());
  for (std::size_t i = 0; i < e.size(); ++i) e[i] = exact[i] - found.x[i];
  const auto residual = testing::product(A, e);
  const double error = std::sqrt(std::inner_product(e.begin(), e.end(), residual.begin(), 0.0));
  EXPECT_GT(found.report.energy_error, error);
  EXPECT_LT(found.report.energy_error, 1000 * error);
}

TEST(Apart, ShowsTheDigitsThatDiffer) {
  const solvers::Apart apart(1.00004e-13, 1e-13), far(2e-8, 1e-8);
  EXPECT_EQ(apart.first, "1.00004e-13");
  EXPECT_EQ(apart.second, "1e-13");
  EXPECT_EQ(far.first, "2e-08");
}

/// Its answer is right to rounding, though ||b - A x|| / ||b|| is not small: b is what is left of terms 1e9 times as
/// large.
TEST(DirectSolvers, AreJudgedByTheirBackwardError) {
  Threads exec;
  HostMatrix A = testing::laplacian(100, 1);
  for (double& value : A.values) value *= 1e9;
  A.values[0] -= 1e9 * (1 - 1e-9);  // u(0) is all but free
  const std::vector<double> b(100, 1e-9);
  clear_warnings();
  for (const char* type : {"direct", "lu"}) {
    const auto found = testing::solve(exec, A, b, {.type = type, .tolerance = 1e-12});
    EXPECT_TRUE(found.report.converged) << found.report.failure;
    EXPECT_GT(found.report.relative_residual, 0);
    EXPECT_LE(found.report.backward_error, 16 * 2.3e-16);
  }
}

}  // namespace
}  // namespace tessera
