// CUDA against the threads reference: products, residuals, iteration counts and solutions.
#include <cmath>

#include "linalg/spmv.hpp"
#include "solvers/amg/amg.hpp"
#include "solvers/solve.hpp"
#include "support/backends.hpp"
#include "support/matrices.hpp"

namespace tessera {
namespace {

template <class Exec>
struct KrylovEquivalence : ::testing::Test {
  using Space = typename Exec::Space;
  static std::vector<double> product(const testing::HostMatrix& A, const std::vector<double>& x) {
    Exec exec;
    const auto matrix = A.template to<Space>();
    const auto vector = to_space<Space>(x);
    Array<double, Space> y(A.rows);
    linalg::spmv(exec, matrix.view(), vector, y.view());
    return to_vector(y);
  }
  static std::pair<solvers::Report, std::vector<double>> solution(const testing::HostMatrix& A,
                                                                  const std::vector<double>& b,
                                                                  const solvers::SolverParams& params) {
    Exec exec;
    const auto matrix = A.template to<Space>();
    const auto right = to_space<Space>(b);
    Array<double, Space> x(A.rows);
    x.set_zero();
    auto report = solvers::solve(exec, matrix, right, x, params);
    return {report, to_vector(x)};
  }
};
TYPED_TEST_SUITE(KrylovEquivalence, testing::Backends);

TYPED_TEST(KrylovEquivalence, ProductsAgreeToRounding) {
  TESSERA_REQUIRE(TypeParam);
  for (int longest : {5, 15, 27, 80, 300}) {
    const auto A = testing::random_matrix(30000, 30000, longest, 21);
    const auto x = testing::random_vector(A.cols, 22);
    const auto found = this->product(A, x), expected = KrylovEquivalence<Threads>::product(A, x);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-15 * longest);
  }
}

TYPED_TEST(KrylovEquivalence, SolutionsAndResidualHistoriesAgree) {
  TESSERA_REQUIRE(TypeParam);
  const auto A = testing::laplacian(31, 3);
  const auto b = testing::random_vector(A.rows, 23);
  for (const char* preconditioner : {"none", "jacobi"}) {
    const solvers::SolverParams params{.preconditioner = preconditioner, .tolerance = 1e-11, .check_every = 7};
    const auto [report, x] = this->solution(A, b, params);
    const auto [reference, expected] = KrylovEquivalence<Threads>::solution(A, b, params);
    ASSERT_TRUE(report.converged && reference.converged);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], expected[i], 1e-8);
    for (std::size_t i = 0; i < std::min<std::size_t>(30, reference.history.size()); ++i)
      EXPECT_NEAR(report.history[i] / reference.history[i], 1, 1e-8) << i;
    EXPECT_LE(reference.iterations, report.iterations + 1);
    EXPECT_LE(report.iterations, reference.iterations + 8);
  }
}

TYPED_TEST(KrylovEquivalence, EveryMethodAndPreconditionerIteratesAlike) {
  TESSERA_REQUIRE(TypeParam);
  const auto A = testing::laplacian(25, 2);
  const auto b = testing::random_vector(A.rows, 24);
  for (const char* type : {"cg", "minres", "bicgstab", "gmres"})
    for (const char* preconditioner : {"none", "jacobi", "multicolour_ssor", "chebyshev"})
      for (const char* precision : {"double", "mixed"}) {
        if (std::string(preconditioner) == "chebyshev" && std::string(type) != "cg") continue;
        const solvers::SolverParams params{.type = type,
                                           .preconditioner = preconditioner,
                                           .tolerance = 1e-10,
                                           .check_every = 4,
                                           .precision = precision};
        const auto [report, x] = this->solution(A, b, params);
        const auto [reference, expected] = KrylovEquivalence<Threads>::solution(A, b, params);
        const std::string trace = std::string(type) + " " + preconditioner + " " + precision;
        ASSERT_TRUE(report.converged && reference.converged) << trace << report.failure;
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], expected[i], 1e-6) << trace;
        // A mixed iteration asks for a new residual after whole blocks, which are shorter on threads: the ways part
        // there.
        if (std::string(precision) == "mixed") continue;
        for (std::size_t i = 0; i < std::min<std::size_t>({8, report.history.size(), reference.history.size()}); ++i)
          EXPECT_NEAR(report.history[i] / reference.history[i], 1, 1e-7) << trace << " " << i;
      }
}

/// The same aggregates make the same hierarchy but for rounding: that of float, or of double.
TYPED_TEST(KrylovEquivalence, MultigridIteratesAlike) {
  TESSERA_REQUIRE(TypeParam);
  for (const auto& A : {testing::laplacian(50, 2), testing::laplacian(16, 3)})
    for (const char* hierarchy : {"float", "double"}) {
      const solvers::SolverParams params{
          .preconditioner = "amg", .tolerance = 1e-10, .preconditioning = solvers::AmgParams{.hierarchy = hierarchy}};
      const auto b = testing::random_vector(A.rows, 24);
      const auto [report, x] = this->solution(A, b, params);
      const auto [reference, expected] = KrylovEquivalence<Threads>::solution(A, b, params);
      ASSERT_TRUE(report.converged && reference.converged) << report.failure;
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], expected[i], 1e-6);
      EXPECT_NEAR(report.iterations, reference.iterations, 1);
      const double rounding = std::string(hierarchy) == "double" ? 1e-7 : 1e-2;
      for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(report.history[i] / reference.history[i], 1, rounding) << hierarchy << " " << i;
      ASSERT_EQ(report.multigrid.levels.size(), reference.multigrid.levels.size());
      for (std::size_t l = 0; l < report.multigrid.levels.size(); ++l)
        EXPECT_EQ(report.multigrid.levels[l].entries, reference.multigrid.levels[l].entries);
    }
}

}  // namespace
}  // namespace tessera
