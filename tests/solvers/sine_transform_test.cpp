#include "solvers/grid/sine_transform.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/grid/fast_poisson.hpp"
#include "solvers/grid_matrices.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using solvers::grid::GridProblem;
using solvers::grid::RowFactors;
using solvers::grid::SineTransform;
using solvers::grid::Stencil;

template <class Exec>
class SineTransforms : public ::testing::Test {};
TYPED_TEST_SUITE(SineTransforms, testing::Backends);

template <class T, class Exec>
std::vector<T> transform(Exec& exec, Index inner, Index length, Index outer, const std::vector<T>& x) {
  using Space = typename Exec::Space;
  Array<T, Space> y(static_cast<Offset>(x.size()));
  SineTransform<Exec, T>(exec, inner, length, outer).apply(exec, {}, to_space<Space>(x), {}, y);
  return to_vector(y);
}

template <class T>
std::vector<T> random(Offset size, unsigned seed) {
  const std::vector<double> x = testing::random_vector(static_cast<Index>(size), seed);
  return {x.begin(), x.end()};
}

template <class T, class Exec>
void expect_the_sum(Exec& exec, Index inner, Index length, Index outer, double tolerance) {
  SCOPED_TRACE(std::to_string(inner) + " " + std::to_string(length) + " " + std::to_string(outer));
  const std::vector<T> x = random<T>(Offset{inner} * length * outer, 1),
                       y = transform<T>(exec, inner, length, outer, x);
  const double pi = std::acos(-1.0);
  for (Index o = 0; o < outer; ++o)
    for (Index i = 0; i < inner; ++i)
      for (Index k = 1; k <= length; ++k) {
        double sum = 0;
        for (Index j = 1; j <= length; ++j)
          sum += x[i + inner * (j - 1 + length * o)] * std::sin(pi * (j * k % (2 * (length + 1))) / (length + 1));
        ASSERT_NEAR(y[i + inner * (k - 1 + length * o)], sum, tolerance * std::sqrt(length))
            << i << " " << k << " " << o;
      }
}

TYPED_TEST(SineTransforms, AreTheSumOfTheirDefinition) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (Index length : {1, 2, 3, 7, 12, 15, 31, 40, 127})
    for (auto [inner, outer] : {std::pair<Index, Index>{1, 1}, {8, 1}, {3, 5}, {37, 2}}) {
      expect_the_sum<double>(exec, inner, length, outer, 1e-14);
      expect_the_sum<float>(exec, inner, length, outer, 1e-5);
    }
}

/// In place; in one slice, in several with a short last one, and line by line (CUDA). S S = (n + 1) / 2.
TYPED_TEST(SineTransforms, AreTheirOwnInverseInAnySlices) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (auto [inner, length, outer] : {std::array<Index, 3>{301, 255, 1}, {50, 99, 7}}) {
    const std::vector<double> x = random<double>(Offset{inner} * length * outer, 4);
    std::vector<double> once;
    for (Offset slice : {Offset{1} << 29, Offset{1} << 17, Offset{1}}) {
      auto y = to_space<Space>(x);
      SineTransform<TypeParam, double> S(exec, inner, length, outer, slice);
      const View<double> in_place = y.view();
      S.apply(exec, {}, View<const double>(in_place), {}, in_place);
      const std::vector<double> transformed = to_vector(y);
      if (once.empty()) once = transformed;
      for (std::size_t i = 0; i < once.size(); ++i) ASSERT_NEAR(transformed[i], once[i], 1e-12);
      S.apply(exec, {}, View<const double>(in_place), {}, in_place);
      const std::vector<double> back = to_vector(y);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(back[i] * 2 / (length + 1), x[i], 1e-13);
    }
  }
}

TYPED_TEST(SineTransforms, MultiplyRowsBeforeAndAfter) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const Index inner = 5, length = 6;
  const std::vector<double> factors = {1, -2, 3, -4, 5, 6}, x = random<double>(inner * length, 2);
  const auto on_space = to_space<Space>(factors);
  const RowFactors<double> rows{on_space, inner};
  const auto by_hand = [&](std::vector<double> v) {
    for (Index row = 0; row < length; ++row)
      for (Index i = 0; i < inner; ++i)
        v[i + inner * row] *= std::abs(factors[row]) * (factors[row] < 0 && i % 2 == 1 ? -1 : 1);
    return v;
  };
  Array<double, Space> y(inner * length);
  solvers::grid::multiply_rows(exec, rows, to_space<Space>(x).view(), y.view());
  EXPECT_EQ(to_vector(y), by_hand(x));
  SineTransform<TypeParam, double>(exec, inner, length, 1).apply(exec, rows, to_space<Space>(x), rows, y);
  const std::vector<double> expected = by_hand(transform<double>(exec, inner, length, 1, by_hand(x))),
                            found = to_vector(y);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12 * std::abs(expected[i]));
}

/// Solves with a random right-hand side; returns || b - A u || / (|| A || || u ||) with the matrix, summed in double.
template <class T, class Exec>
double backward_error(Exec& exec, const GridProblem& grid) {
  using Space = typename Exec::Space;
  const testing::HostMatrix A = testing::grid_matrix(grid);
  const std::vector<T> f = random<T>(A.rows, 7);
  Array<T, Space> u(A.rows);
  const auto solver = solvers::grid::make_sine_transform<Exec, T>(exec, grid, {.method = "fft"});
  solver->solve(exec, to_space<Space>(f), u);
  const std::vector<T> solution = to_vector(u);
  const std::vector<double> x(solution.begin(), solution.end());
  std::vector<double> r = testing::product(A, x);
  double norm = 0;
  for (Index i = 0; i < A.rows; ++i) {
    r[i] -= f[i];
    double row = 0;
    for (Offset k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) row += std::abs(A.values[k]);
    norm = std::max(norm, row);
  }
  return testing::norm(r) / (norm * testing::norm(x));
}

TYPED_TEST(SineTransforms, SolveGridsOfAnySize) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const GridProblem& grid : testing::small_grids()) {
    SCOPED_TRACE(testing::describe(grid));
    EXPECT_LT((backward_error<double>(exec, grid)), 2e-15);
    EXPECT_LT((backward_error<float>(exec, grid)), 1e-6);
  }
}

/// Couplings along x that vanish: rest h / 6 = mass / h for the only mode, so that the systems are diagonal.
TYPED_TEST(SineTransforms, SolveSystemsWithoutCoupling) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  EXPECT_LT((backward_error<double>(exec, {1, {9, 1, 1}, {1, 1, 1}, 6, Stencil::tensor})), 1e-15);
  EXPECT_LT((backward_error<float>(exec, {1, {9, 1, 1}, {1, 1, 1}, 6, Stencil::tensor})), 1e-6);
}

/// A manufactured solution on a grid beyond what a matrix is made for: u = sin(pi x) sin(2 pi y), exact up to
/// round-off.
TYPED_TEST(SineTransforms, SolveForAnEigenvectorOnALargeGrid) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const Index nx = 511, ny = 700;
  const double hx = 1.0 / (nx + 1), hy = 1.0 / (ny + 1), pi = std::acos(-1.0);
  const GridProblem grid{2, {nx, ny, 1}, {hx, hy, 1}, 5};
  const double lambda =
      4 / (hx * hx) * std::pow(std::sin(pi * hx / 2), 2) + 4 / (hy * hy) * std::pow(std::sin(pi * hy), 2) + 5;
  std::vector<double> u, f;
  for (Index j = 1; j <= ny; ++j)
    for (Index i = 1; i <= nx; ++i) {
      u.push_back(std::sin(pi * i * hx) * std::sin(2 * pi * j * hy));
      f.push_back(lambda * u.back());
    }
  Array<double, Space> x(nx * ny);
  solvers::grid::make_sine_transform<TypeParam, double>(exec, grid, {})->solve(exec, to_space<Space>(f), x);
  const std::vector<double> found = to_vector(x);
  for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(found[i], u[i], 1e-13);
}

TEST(SineTransforms, DoNotDependOnTheNumberOfThreads) {
  const GridProblem grid{3, {17, 20, 9}, {0.1, 0.2, 0.3}, 1, Stencil::tensor};
  const std::vector<double> f = random<double>(grid.unknowns(), 3);
  std::vector<double> first;
  for (int threads : {1, 2, 5}) {
    Threads exec(threads);
    Array<double> u(grid.unknowns());
    solvers::grid::make_sine_transform<Threads, double>(exec, grid, {})->solve(exec, to_space<Host>(f), u);
    if (first.empty()) first = to_vector(u);
    EXPECT_EQ(to_vector(u), first) << threads;
  }
}

TYPED_TEST(SineTransforms, RepeatBitwise) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const GridProblem grid{2, {300, 500, 1}, {0.1, 0.2, 1}};
  const auto f = to_space<Space>(random<double>(grid.unknowns(), 3));
  Array<double, Space> u(grid.unknowns()), again(grid.unknowns());
  const auto solver = solvers::grid::make_sine_transform<TypeParam, double>(exec, grid, {});
  solver->solve(exec, f, u);
  solver->solve(exec, f, again);
  EXPECT_EQ(to_vector(u), to_vector(again));
}

}  // namespace
}  // namespace tessera
