// Algebraic multigrid of matrices that are not symmetric, as convection and diffusion make them.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "solvers/amg/amg.hpp"
#include "solvers/amg/strength.hpp"
#include "solvers/params.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using solvers::AmgParams;
using solvers::LinearSolver;
using solvers::Reuse;
using solvers::SolverParams;
using testing::HostMatrix;

SolverParams with(const std::string& type, const AmgParams& params = {}) {
  return {.type = type, .preconditioner = "amg", .preconditioning = params};
}

template <class Exec>
struct MultigridOfFlows : ::testing::Test {
  using Space = typename Exec::Space;

  static int iterations(const HostMatrix& A, const SolverParams& params) {
    Exec exec = testing::with_threads<Exec>(2);
    const auto b = testing::random_vector(A.rows, 3);
    const auto found = testing::solve(exec, A, b, params);
    EXPECT_TRUE(found.report.converged) << found.report.failure;
    EXPECT_LE(testing::relative_residual(A, b, found.x), 1.01e-8);
    EXPECT_GE(found.report.multigrid.levels.size(), 2u);
    return found.report.iterations;
  }
};
TYPED_TEST_SUITE(MultigridOfFlows, testing::Backends);

/// `speed` is twice the Peclet number of a cell: at 1e4 nothing is left of diffusion but that of upwinding.
TYPED_TEST(MultigridOfFlows, IterationsHardlyGrowWithTheMeshWhateverThePecletNumber) {
  TESSERA_REQUIRE(TypeParam);
  struct Case {
    double speed;
    int bicgstab, gmres;  ///< at most
  };
  for (const auto& [speed, bicgstab, gmres] :
       {Case{0.01, 8, 20}, Case{0.3, 13, 30}, Case{3, 16, 35}, Case{1e4, 20, 45}})
    for (const int dim : {2, 3}) {
      SCOPED_TRACE(::testing::Message() << "speed " << speed << " in " << dim << " dimensions");
      const HostMatrix coarse = testing::convection(dim == 2 ? 30 : 11, dim, speed);
      const HostMatrix fine = testing::convection(dim == 2 ? 120 : 28, dim, speed);
      const int few = this->iterations(coarse, with("bicgstab")), more = this->iterations(fine, with("bicgstab"));
      EXPECT_LE(more, bicgstab);
      EXPECT_LE(more, 2 * few);
      EXPECT_LE(this->iterations(fine, with("gmres")), gmres);
    }
}

TYPED_TEST(MultigridOfFlows, WAndDeeperSmoothingTakeNoMoreIterationsAndPrecisionsReachTheTolerance) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::convection(70, 2, 3);
  const int plain = this->iterations(A, with("bicgstab"));
  EXPECT_LE(this->iterations(A, with("bicgstab", {.cycle = "W"})), plain + 1);
  EXPECT_LE(this->iterations(A, with("bicgstab", {.smoother_degree = 4})), plain);
  EXPECT_LE(this->iterations(A, with("bicgstab", {.hierarchy = "double"})), plain + 1);
  SolverParams mixed = with("gmres");
  mixed.precision = "mixed";
  EXPECT_LE(this->iterations(A, mixed), 60);
}

/// Iterations do not change where A is symmetric but for the smoother, which is not made for real spectra alone.
TYPED_TEST(MultigridOfFlows, ASymmetricMatrixIsTakenAsWell) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::laplacian(80, 2);
  EXPECT_LE(this->iterations(A, with("bicgstab")), this->iterations(A, with("cg")));
  EXPECT_LE(this->iterations(A, with("gmres")), 20);
}

TYPED_TEST(MultigridOfFlows, OtherNumbersOfThePatternAreSolvedByTheSameAggregates) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TestFixture::Space;
  TypeParam exec = testing::with_threads<TypeParam>(2);
  const HostMatrix slow = testing::convection(60, 2, 0.3), fast = testing::convection(60, 2, 1);
  auto matrix = slow.to<Space>();
  const linalg::CrsOperator<TypeParam> A(matrix);
  LinearSolver<TypeParam> solver(exec, with("bicgstab"));
  solver.set_operator(A);
  const auto b = to_space<Space>(testing::random_vector(slow.rows, 3));
  Array<double, Space> x(slow.rows);
  for (const HostMatrix* values : {&slow, &fast, &slow}) {
    copy_bytes(Host{}, values->values.data(), Space{}, matrix.values.data(), matrix.values.bytes());
    solver.set_operator(A, Reuse::pattern);
    x.set_zero();
    const auto report = solver.solve(b.view(), x.view());
    EXPECT_TRUE(report.converged) << report.failure;
    EXPECT_LE(report.iterations, 16);
  }
}

TYPED_TEST(MultigridOfFlows, IsTheSameToTheBitWhateverTheNumberOfThreads) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::convection(90, 2, 1);
  const auto b = testing::random_vector(A.rows, 3);
  TypeParam one = testing::with_threads<TypeParam>(1), two = testing::with_threads<TypeParam>(2);
  const auto expected = testing::solve(one, A, b, with("bicgstab"));
  EXPECT_EQ(testing::solve(two, A, b, with("bicgstab")).x, expected.x);
}

TYPED_TEST(MultigridOfFlows, RowsThatTheFlowRulesAreNotSmoothed) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TestFixture::Space;
  TypeParam exec = testing::with_threads<TypeParam>(2);
  // |a_ij - s_ij| over |s_ij| is speed / (2 + speed) of the upwind matrix.
  const auto parts = [&](double speed) {
    const auto A = testing::convection(8, 2, speed).to<Space>();
    const auto mean = solvers::amg::symmetric_part(exec, A.view());
    return to_vector(solvers::amg::smoothed_parts(exec, A.view(), mean.view()));
  };
  for (const double part : parts(0.5)) EXPECT_EQ(part, 1);
  for (const double part : parts(2)) EXPECT_NEAR(part, 0.5, 1e-12);
  for (const double part : parts(7)) EXPECT_EQ(part, 0);
}

TYPED_TEST(MultigridOfFlows, TheSymmetricPartHalvesEntriesWithoutAMirrorImage) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TestFixture::Space;
  TypeParam exec = testing::with_threads<TypeParam>(2);
  HostMatrix A;
  A.rows = A.cols = 2;
  A.add(0, 4.0), A.add(1, -1.0), A.end_row();
  A.add(1, 3.0), A.end_row();
  EXPECT_EQ(to_vector(solvers::amg::symmetric_part(exec, A.to<Space>().view())), (std::vector<double>{4, -0.5, 3}));
}

TYPED_TEST(MultigridOfFlows, AnIndefiniteSymmetricPartIsNamed) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = testing::with_threads<TypeParam>(2);
  const HostMatrix A = testing::shifted(testing::convection(20, 2, 0.1), -6);
  const auto report = testing::solve(exec, A, testing::random_vector(A.rows, 3), with("gmres")).report;
  EXPECT_FALSE(report.converged);
  EXPECT_NE(report.failure.find("diagonal"), std::string::npos) << report.failure;
  // On a coarser level; minres does not take such a matrix.
  const HostMatrix B = testing::shifted(testing::convection(40, 2, 0.1), -0.5);
  const auto of_level = testing::solve(exec, B, testing::random_vector(B.rows, 3), with("gmres")).report;
  EXPECT_NE(of_level.failure.find("not positive definite"), std::string::npos) << of_level.failure;
  EXPECT_EQ(of_level.failure.find("minres"), std::string::npos) << of_level.failure;
}

TEST(MultigridOfFlowsKeys, RefuseWhatTakesTheMatrixForSymmetric) {
  const auto read = [](const std::string& keys) {
    return solvers::read_solver(deck::Deck::parse("[solver]\n" + keys, "deck.toml"), "double");
  };
  EXPECT_NO_THROW(read("type = \"gmres\"\npreconditioner = \"amg\"\ncycle = \"W\"\n"));
  EXPECT_NO_THROW(read("type = \"bicgstab\"\npreconditioner = \"amg\"\n"));
  EXPECT_THROW(read("type = \"minres\"\npreconditioner = \"amg\"\n"), Error);
  try {
    read("type = \"gmres\"\npreconditioner = \"amg\"\ncycle = \"K\"\n");
    FAIL() << "a K-cycle of gmres is accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "cycle = \"K\" takes the matrix for symmetric, which gmres does not");
    EXPECT_EQ(error.where()->line, 4);
  }
}

}  // namespace
}  // namespace tessera
