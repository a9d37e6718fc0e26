// Multigrid over the orders of elements: iterations with a matrix and without, symmetry and repeatability.
#include <fmt/format.h>

#include <cmath>

#include "assembly/matrix_free/operator.hpp"
#include "assembly/matrix_free/order_transfer.hpp"
#include "assembly/support.hpp"
#include "linalg/formats.hpp"
#include "linalg/lower_orders.hpp"
#include "solvers/precondition/chebyshev_impl.hpp"
#include "solvers/precondition/table.hpp"
#include "solvers/solve.hpp"
#include "support/matrices.hpp"

namespace tessera {
namespace {

using assembly::DofMap;

/// -div(k grad u) in all orders below that of a problem, u = 0 at x = 0; k is 1 or `contrast`, by cells.
template <class Exec>
struct Orders {
  using Space = typename Exec::Space;
  Exec exec;
  mesh::Mesh mesh;
  std::vector<std::unique_ptr<DofMap>> maps;
  std::vector<std::unique_ptr<linalg::Crs<Space>>> matrices;
  std::unique_ptr<linalg::Operator<Exec>> A;
  std::vector<Index> fixed;
  double contrast;

  Orders(const char* shape, int cells, int order, bool matrix, int threads = 2, double contrast = 10)
      : exec(testing::with_threads<Exec>(threads)), mesh(testing::box(shape, cells)), contrast(contrast) {
    testing::deform(mesh);
    A = make(order, matrix);
    fixed = fixed_of(*maps.back());
    const auto lower = std::make_shared<linalg::LowerOrders<Exec>>();
    for (int k = order / 2; k >= 1; k /= 2) {
      const DofMap& finer = *maps.back();
      auto& level = lower->levels.emplace_back();
      level.order = k;
      level.A = make(k, matrix || k == 1);
      level.transfer =
          assembly::make_order_transfer(exec, *maps.back(), finer, 1, fixed_of(*maps.back()), fixed_of(finer));
    }
    A->set_lower_orders(lower);
  }

  std::vector<double> right_side() const {
    auto b = testing::random_vector(A->rows(), 3);
    for (const Index row : fixed) b[static_cast<std::size_t>(row)] = 0;
    return b;
  }
  solvers::Report solve(const solvers::SolverParams& params) {
    const auto b = to_space<Space>(right_side());
    Array<double, Space> x(A->rows());
    x.set_zero();
    const linalg::Operator<Exec>& op = *A;
    const solvers::Report report = solvers::solve(exec, op, b.view(), x.view(), params);
    EXPECT_TRUE(report.converged) << report.failure;
    EXPECT_LE(report.relative_residual, 1e-8);
    return report;
  }
  std::vector<double> apply(solvers::Preconditioner<Exec, double>& M, const std::vector<double>& r) {
    const auto right = to_space<Space>(r);
    Array<double, Space> z(A->rows());
    M.apply(exec, right, z);
    return to_vector(z);
  }
  std::unique_ptr<solvers::Preconditioner<Exec, double>> preconditioner() {
    auto M = solvers::make_preconditioner<Exec, double>({.preconditioner = "pmg"});
    EXPECT_EQ(M->set_up(exec, *A, *A, linalg::Sign::positive, solvers::Reuse::nothing), "");
    return M;
  }

 private:
  std::vector<Index> fixed_of(const DofMap& map) const {
    const std::vector<double> points = assembly::dof_points(mesh, map);
    std::vector<Index> result;
    for (Index dof = 0; dof < map.dofs; ++dof)
      if (points[3 * static_cast<std::size_t>(dof)] == 0) result.push_back(dof);
    return result;
  }
  std::unique_ptr<linalg::Operator<Exec>> make(int order, bool matrix) {
    maps.push_back(std::make_unique<DofMap>(assembly::make_dof_map(mesh, order)));
    const DofMap& map = *maps.back();
    forms::DiffusionData data;
    data.k.values = {1.0, contrast};
    for (Index cell = 0; cell < mesh.cells(); ++cell) data.region.push_back(cell / 7 % 2);
    const std::vector<Index> held = fixed_of(map);
    const std::vector<double> values(held.size(), 0.0);
    Array<double, Space> b(map.dofs);
    if (!matrix) {
      auto result = std::make_unique<assembly::MatrixFree<Exec, forms::Diffusion>>(exec, mesh, map);
      result->assemble(exec, data, {.facets = {}, .fixed = held, .values = values}, b.view());
      return result;
    }
    assembly::Assembler<Exec, forms::Diffusion> assembler(exec, mesh, map);
    matrices.push_back(std::make_unique<linalg::Crs<Space>>(assembler.make_matrix()));
    assembler.assemble(data, *matrices.back(), b.view());
    assembly::eliminate_dirichlet(exec, *matrices.back(), b.view(), held, values);
    return std::make_unique<linalg::CrsOperator<Exec>>(*matrices.back());
  }
};

template <class Exec>
struct OrderMultigrid : ::testing::Test {};
TYPED_TEST_SUITE(OrderMultigrid, testing::Backends);

TYPED_TEST(OrderMultigrid, IterationsAreFewOnEveryShapeAndDoNotGrowWithTheMesh) {
  TESSERA_REQUIRE(TypeParam);
  struct Case {
    const char* shape;
    int order, coarse, fine, most;
    bool matrix;
  };
  const Case cases[] = {
      {"interval", 4, 16, 64, 16, true}, {"triangle", 2, 8, 24, 12, true}, {"triangle", 4, 6, 16, 26, true},
      {"quad", 4, 6, 20, 18, false},     {"quad", 8, 4, 12, 20, false},    {"tet", 2, 4, 10, 12, true},
      {"tet", 3, 3, 6, 26, true},        {"hex", 2, 4, 10, 12, true},      {"hex", 2, 4, 10, 12, false},
      {"hex", 4, 3, 7, 20, false},       {"prism", 2, 4, 9, 12, false}};
  for (const Case& c : cases) {
    const int few = Orders<TypeParam>(c.shape, c.coarse, c.order, c.matrix).solve({.preconditioner = "pmg"}).iterations,
              many = Orders<TypeParam>(c.shape, c.fine, c.order, c.matrix).solve({.preconditioner = "pmg"}).iterations;
    EXPECT_LE(many, c.most) << c.shape << c.order;
    EXPECT_LE(many, few + 4) << c.shape << c.order;
  }
}

/// The bound of its smoother is 1.1 times what ten steps of Lanczos find; a hundred find the eigenvalue itself. Its
/// steps go on to converge up to 1.11 of their bound.
TYPED_TEST(OrderMultigrid, TenStepsBoundTheSpectrumWhereTheCoefficientJumpsByAMillion) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  struct Case {
    const char* shape;
    int order, coarse, fine;
    bool matrix;
  };
  const Case cases[] = {{"triangle", 2, 8, 24, true}, {"quad", 4, 6, 20, false}, {"tet", 2, 4, 10, true},
                        {"hex", 2, 4, 10, false},     {"hex", 4, 3, 7, false},   {"prism", 2, 4, 9, false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(fmt::format("{} of order {}", c.shape, c.order));
    Orders<TypeParam> fine(c.shape, c.fine, c.order, c.matrix, 2, 1e6);
    Array<double, Space> inverse(fine.A->rows()), bad(1);
    fine.A->diagonal(fine.exec, inverse.view());
    linalg::invert_diagonal(fine.exec, inverse.view(), bad.data(), linalg::Sign::positive);
    const auto find = [&](int steps) {
      return solvers::largest_ritz_value(fine.exec, *fine.A, std::as_const(inverse).view(), steps);
    };
    EXPECT_LE(find(100), 1.1 * 1.1 * find(10));
    Orders<TypeParam> coarse(c.shape, c.coarse, c.order, c.matrix, 2, 1e6);
    const int few = coarse.solve({.preconditioner = "pmg"}).iterations,
              many = fine.solve({.preconditioner = "pmg"}).iterations,
              usual = Orders<TypeParam>(c.shape, c.fine, c.order, c.matrix).solve({.preconditioner = "pmg"}).iterations;
    EXPECT_LE(many, few + 6);
    EXPECT_LE(many, usual + 5);
  }
}

TYPED_TEST(OrderMultigrid, IsSymmetricToTheRoundingOfItsCycleAndPositive) {
  TESSERA_REQUIRE(TypeParam);
  for (const bool matrix : {true, false}) {
    Orders<TypeParam> orders("hex", 5, 4, matrix);
    const auto M = orders.preconditioner();
    const auto x = testing::random_vector(orders.A->rows(), 1), y = testing::random_vector(orders.A->rows(), 2);
    const auto Mx = orders.apply(*M, x), My = orders.apply(*M, y);
    double xMy = 0, yMx = 0, xMx = 0, yMy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      xMy += x[i] * My[i];
      yMx += y[i] * Mx[i];
      xMx += x[i] * Mx[i];
      yMy += y[i] * My[i];
    }
    EXPECT_GT(xMx, 0);
    EXPECT_GT(yMy, 0);
    EXPECT_NEAR(xMy, yMx, 1e-6 * std::sqrt(xMx * yMy));
  }
}

TYPED_TEST(OrderMultigrid, RepeatsBitForBitOnAnyNumberOfThreads) {
  TESSERA_REQUIRE(TypeParam);
  Orders<TypeParam> first("hex", 5, 4, false, 1);
  const auto M = first.preconditioner();
  const auto r = testing::random_vector(first.A->rows(), 5), z = first.apply(*M, r);
  EXPECT_EQ(first.apply(*M, r), z);
  for (const int threads : {2, 3}) {
    Orders<TypeParam> again("hex", 5, 4, false, threads);
    EXPECT_EQ(again.apply(*again.preconditioner(), r), z);
  }
}

TYPED_TEST(OrderMultigrid, ScalesWithItsRightSideFarBeyondTheRangeOfSinglePrecision) {
  TESSERA_REQUIRE(TypeParam);
  Orders<TypeParam> orders("quad", 6, 4, false);
  const auto M = orders.preconditioner();
  auto r = testing::random_vector(orders.A->rows(), 5);
  const auto z = orders.apply(*M, r);
  for (const int exponent : {-400, 200, 500}) {
    auto scaled = r;
    for (double& value : scaled) value = std::ldexp(value, exponent);
    auto found = orders.apply(*M, scaled);
    for (double& value : found) value = std::ldexp(value, -exponent);
    EXPECT_EQ(found, z) << exponent;
  }
  EXPECT_EQ(orders.apply(*M, std::vector<double>(r.size(), 0.0)), std::vector<double>(r.size(), 0.0));
}

TYPED_TEST(OrderMultigrid, StaysWhatItIsWhereAllIsReusedAndFollowsNewValuesOfItsPattern) {
  TESSERA_REQUIRE(TypeParam);
  using solvers::Reuse;
  Orders<TypeParam> orders("tet", 4, 2, true);
  const auto M = orders.preconditioner();
  const auto r = testing::random_vector(orders.A->rows(), 5), z = orders.apply(*M, r);
  for (auto& matrix : orders.matrices) linalg::scale(orders.exec, 4, matrix->values.view());
  EXPECT_EQ(M->set_up(orders.exec, *orders.A, *orders.A, linalg::Sign::positive, Reuse::all), "");
  EXPECT_EQ(orders.apply(*M, r), z);
  EXPECT_EQ(M->set_up(orders.exec, *orders.A, *orders.A, linalg::Sign::positive, Reuse::pattern), "");
  const auto quarter = orders.apply(*M, r);
  for (std::size_t i = 0; i < z.size(); ++i) ASSERT_NEAR(4 * quarter[i], z[i], 1e-5 * std::abs(z[i]) + 1e-9);
}

TYPED_TEST(OrderMultigrid, ConvergesWithWhatIsKeptOfTheLastOperator) {
  TESSERA_REQUIRE(TypeParam);
  using solvers::Reuse;
  for (const bool matrix : {true, false}) {
    Orders<TypeParam> orders("hex", 5, 2, matrix);
    solvers::LinearSolver<TypeParam> solver(orders.exec, {.preconditioner = "pmg"});
    const auto b = to_space<typename TypeParam::Space>(orders.right_side());
    int iterations = 0;
    for (const Reuse reuse : {Reuse::nothing, Reuse::all, Reuse::pattern, Reuse::all}) {
      solver.set_operator(*orders.A, reuse);
      Array<double, typename TypeParam::Space> x(orders.A->rows());
      x.set_zero();
      const solvers::Report report = solver.solve(b.view(), x.view());
      EXPECT_TRUE(report.converged) << report.failure;
      if (reuse == Reuse::nothing) iterations = report.iterations;
      EXPECT_EQ(report.iterations, iterations);
    }
  }
}

TYPED_TEST(OrderMultigrid, TakesTheNumbersOfAnotherMatrixOfItsPattern) {
  TESSERA_REQUIRE(TypeParam);
  Orders<TypeParam> orders("hex", 4, 2, true);
  const auto M = orders.preconditioner();
  const std::vector<double> r = orders.right_side(), z = orders.apply(*M, r);
  // All that is compared on the way is relative, and 4 scales what rounding leaves.
  for (auto& matrix : orders.matrices) linalg::scale(orders.exec, 4.0, matrix->values.view());
  EXPECT_EQ(M->set_up(orders.exec, *orders.A, *orders.A, linalg::Sign::positive, solvers::Reuse::pattern), "");
  const std::vector<double> found = orders.apply(*M, r);
  double largest = 0;
  for (const double value : z) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(4 * found[i], z[i], 1e-5 * largest);
}

TYPED_TEST(OrderMultigrid, SaysWhereEntriesLeaveTheRangeOfSinglePrecision) {
  TESSERA_REQUIRE(TypeParam);
  for (const double factor : {1e-44, 1e42}) {
    Orders<TypeParam> orders("quad", 4, 2, true);
    for (auto& matrix : orders.matrices) linalg::scale(orders.exec, factor, matrix->values.view());
    const auto M = solvers::make_preconditioner<TypeParam, double>({.preconditioner = "pmg"});
    const std::string failure =
        M->set_up(orders.exec, *orders.A, *orders.A, linalg::Sign::positive, solvers::Reuse::nothing);
    EXPECT_NE(failure.find("leave the range of single precision"), std::string::npos) << failure;
    EXPECT_NE(failure.find("choose units"), std::string::npos) << failure;
  }
}

TYPED_TEST(OrderMultigrid, NeedsOperatorsOfLowerOrder) {
  TESSERA_REQUIRE(TypeParam);
  Orders<TypeParam> orders("quad", 3, 2, true);
  orders.A->set_lower_orders(nullptr);
  solvers::LinearSolver<TypeParam> solver(orders.exec, {.preconditioner = "pmg"});
  EXPECT_THROW(solver.set_operator(*orders.A), Error);
}

TYPED_TEST(OrderMultigrid, ReportsTheOrdersAndTheLevelsBelow) {
  TESSERA_REQUIRE(TypeParam);
  Orders<TypeParam> orders("hex", 10, 4, false);
  const auto levels = orders.solve({.preconditioner = "pmg"}).multigrid.levels;
  ASSERT_GE(levels.size(), 4u);
  EXPECT_EQ(levels[0].rows, 41 * 41 * 41);
  EXPECT_EQ(levels[1].rows, 21 * 21 * 21);
  EXPECT_EQ(levels[2].rows, 11 * 11 * 11);
}

}  // namespace
}  // namespace tessera
