// Many small dense systems and matrix exponentials at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/array.hpp"
#include "base/error.hpp"
#include "solvers/odes/batched.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using Values = std::vector<double>;  // of one matrix: [n, n], row-major

template <class Exec>
struct SmallMatrices : ::testing::Test {};
TYPED_TEST_SUITE(SmallMatrices, testing::Backends);

/// [matrices][entries] -> [entries, matrices]
Values interleaved(const std::vector<Values>& matrices) {
  Values result;
  for (std::size_t i = 0; i < matrices[0].size(); ++i)
    for (const Values& matrix : matrices) result.push_back(matrix[i]);
  return result;
}
std::vector<Values> apart(const Values& values, std::size_t count) {
  std::vector<Values> result(count);
  for (std::size_t i = 0; i < values.size(); ++i) result[i % count].push_back(values[i]);
  return result;
}

struct Solved {
  std::vector<Values> x;
  double singular;
};

template <class Exec>
Solved solve(Exec& exec, int n, const std::vector<Values>& matrices, const std::vector<Values>& right_sides) {
  using Space = typename Exec::Space;
  const auto a = to_space<Space>(interleaved(matrices));
  auto x = to_space<Space>(interleaved(right_sides));
  Array<double, Space> singular(1);
  solvers::solve_batch(exec, n, static_cast<Offset>(matrices.size()), a.view(), x.view(), singular.data());
  return {apart(to_vector(x), matrices.size()), to_vector(singular)[0]};
}

template <class Exec>
std::vector<Values> exponentials(Exec& exec, int n, const std::vector<Values>& matrices, double factor = 1,
                                 double expected_failures = 0) {
  using Space = typename Exec::Space;
  auto a = to_space<Space>(interleaved(matrices));
  Array<double, Space> not_finite(1);
  solvers::matrix_exponentials(exec, n, static_cast<Offset>(matrices.size()), factor, View<const double>(a.view()),
                               a.view(), not_finite.data());
  EXPECT_EQ(to_vector(not_finite)[0], expected_failures);
  return apart(to_vector(a), matrices.size());
}

double largest_relative(const Values& x, const Values& y) {
  double largest = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = std::abs(x[i] - y[i]);
    if (!(difference <= largest)) largest = difference;
    size = std::max(size, std::abs(y[i]));
  }
  return largest / size;
}

TYPED_TEST(SmallMatrices, AreSolvedWhateverTheUnitsOfTheirRowsAndColumns) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> entry(-1, 1);
  std::uniform_int_distribution<int> power(-200, 200);
  for (int n = 1; n <= solvers::most_solve_size; ++n) {
    // Column i of the matrix is in units of 2^-c, so that x_i is in units of 2^c; the rows are in any.
    std::vector<Values> matrices, right_sides, solutions;
    for (int k = 0; k < 7; ++k) {
      Values matrix, solution, right_side;
      std::vector<int> units;
      for (int i = 0; i < n; ++i) {
        units.push_back(power(random));
        solution.push_back(std::ldexp(1 + entry(random) / 2, units.back()));
      }
      for (int i = 0; i < n; ++i) {
        const int row = power(random);
        double sum = 0;
        for (int j = 0; j < n; ++j) {
          // Each row has one large entry, of which no two stand in a column: conditions are small.
          const double value = entry(random) + (j == (i + 1) % n ? n : 0);
          matrix.push_back(std::ldexp(value, row - units[static_cast<std::size_t>(j)]));
          sum += matrix.back() * solution[static_cast<std::size_t>(j)];
        }
        right_side.push_back(sum);
      }
      matrices.push_back(matrix);
      right_sides.push_back(right_side);
      solutions.push_back(solution);
    }
    const Solved solved = solve(exec, n, matrices, right_sides);
    EXPECT_EQ(solved.singular, 0);
    for (std::size_t k = 0; k < solutions.size(); ++k)
      for (std::size_t i = 0; i < solutions[k].size(); ++i)
        EXPECT_NEAR(solved.x[k][i] / solutions[k][i], 1, 1e-11) << n;
  }
}

TYPED_TEST(SmallMatrices, ArePivotedByEntriesRelativeToTheirRow) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // A zero pivot; a tiny one; and one that only looks large, for the row beside it is in other units. Interchanges by
  // plain size give x = (0, 1) for the last one.
  const std::vector<Values> matrices = {{0, 1, 1, 0}, {1e-20, 1, 1, 1}, {1, 1e20, 1, 1}};
  const Solved solved = solve(exec, 2, matrices, {{3, 5}, {1, 2}, {1e20, 2}});
  EXPECT_EQ(solved.singular, 0);
  EXPECT_EQ(solved.x[0], (Values{5, 3}));
  EXPECT_EQ(solved.x[1], (Values{1, 1}));
  EXPECT_EQ(solved.x[2], (Values{1, 1}));
}

TYPED_TEST(SmallMatrices, ThatAreSingularOrNotFiniteAreCountedAndSpoilNobodyElse) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Values> matrices = {
      {2, 0, 0, 4}, {1, 2, 2, 4}, {0, 0, 0, 0}, {infinity, 0, 0, 1}, {1, std::nan(""), 0, 1}, {4, 0, 0, 2}};
  const Solved solved = solve(exec, 2, matrices, std::vector<Values>(6, {8, 8}));
  EXPECT_EQ(solved.singular, 4);
  EXPECT_EQ(solved.x.front(), (Values{4, 2}));
  EXPECT_EQ(solved.x.back(), (Values{2, 4}));
  for (int k = 1; k < 5; ++k) EXPECT_TRUE(std::isnan(solved.x[static_cast<std::size_t>(k)][0])) << k;
}

TYPED_TEST(SmallMatrices, HaveTheExponentialsThatAreKnown) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // Of 2 x 2 matrices: zero; a turn by 0.01, 0.5 and 3 (the three approximants) and by 100 (with squarings); the one of
  // Moler & Van Loan, SIAM Review 45 (2003) 3, with eigenvalues -1 and -17; growth and decay.
  const auto turn = [](double angle) { return Values{0, -angle, angle, 0}; };
  const auto turned = [](double angle) {
    return Values{std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)};
  };
  const double slow = std::exp(-1.0), fast = std::exp(-17.0);
  const std::vector<Values> matrices = {{0, 0, 0, 0}, turn(0.01),         turn(0.5),        turn(3),
                                        turn(100),    {-49, 24, -64, 31}, {300, 0, 0, -300}};
  const std::vector<Values> expected = {
      {1, 0, 0, 1},
      turned(0.01),
      turned(0.5),
      turned(3),
      turned(100),
      {-2 * slow + 3 * fast, 1.5 * slow - 1.5 * fast, -4 * slow + 4 * fast, 3 * slow - 2 * fast},
      {std::exp(300.0), 0, 0, std::exp(-300.0)}};
  const double within[] = {0, 1e-15, 1e-15, 5e-15, 1e-13, 5e-14, 2e-13};
  const auto results = exponentials(exec, 2, matrices);
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_LE(largest_relative(results[k], expected[k]), within[k]) << k;
  EXPECT_NEAR(results.back()[3] / std::exp(-300.0), 1, 2e-13);
}

TYPED_TEST(SmallMatrices, ThatAreNilpotentHaveFiniteSeries) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (std::size_t n = 1; n <= solvers::most_exponential_size; ++n) {
    Values shift(n * n), series(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + 1 < n) shift[i * n + i + 1] = 10;
      double term = 1;
      for (std::size_t j = i; j < n; ++j) {
        series[i * n + j] = term;
        term *= 10.0 / static_cast<double>(j - i + 1);
      }
    }
    EXPECT_LE(largest_relative(exponentials(exec, static_cast<int>(n), {shift})[0], series), 1e-14) << n;
  }
}

TYPED_TEST(SmallMatrices, OfUnitsFarApartHaveExactExponentialsInEachEntry) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // A turn by 1, whose second number is in units of 2^60: scaling by the norm alone would take 58 squarings.
  const double unit = std::ldexp(1.0, 60);
  const auto result = exponentials(exec, 2, {{0, -unit, 1 / unit, 0}})[0];
  EXPECT_NEAR(result[0] / std::cos(1.0), 1, 1e-15);
  EXPECT_NEAR(result[1] / (-std::sin(1.0) * unit), 1, 1e-15);
  EXPECT_NEAR(result[2] / (std::sin(1.0) / unit), 1, 1e-15);
  EXPECT_NEAR(result[3] / std::cos(1.0), 1, 1e-15);
}

TYPED_TEST(SmallMatrices, OfAnySizeHaveExponentialsThatUndoThoseOfTheirNegatives) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> entry(-1, 1);
  for (std::size_t n = 1; n <= solvers::most_exponential_size; ++n) {
    const int size = static_cast<int>(n);
    Values matrix;
    for (std::size_t i = 0; i < n * n; ++i) matrix.push_back(entry(random));
    const auto there = exponentials(exec, size, {matrix, matrix})[1], back = exponentials(exec, size, {matrix}, -1)[0];
    double largest = 0, scale = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double sum = i == j ? -1 : 0, magnitudes = 0;
        for (std::size_t k = 0; k < n; ++k) {
          const double term = there[i * n + k] * back[k * n + j];
          sum += term;
          magnitudes += std::abs(term);
        }
        largest = std::max(largest, std::abs(sum));
        scale = std::max(scale, magnitudes);
      }
    EXPECT_LE(largest, 1e-14 * scale) << n;
  }
}

TYPED_TEST(SmallMatrices, WhoseExponentialsOverflowAreCounted) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const auto results = exponentials(exec, 1, {{1}, {1000}, {std::nan("")}, {-1e300}}, 1, 2);
  EXPECT_NEAR(results[0][0], std::exp(1.0), 1e-15);
  EXPECT_EQ(results[3][0], 0);
}

TYPED_TEST(SmallMatrices, OfSizesThatNoThreadKeepsAreRefused) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Array<double, typename TypeParam::Space> none, one(1);
  EXPECT_THROW(solvers::solve_batch(exec, 33, 0, none.view(), none.view(), one.data()), Error);
  EXPECT_THROW(solvers::solve_batch(exec, 0, 0, none.view(), none.view(), one.data()), Error);
  EXPECT_THROW(solvers::solve_batch(exec, 2, 1, none.view(), none.view(), one.data()), Error);
  try {
    solvers::matrix_exponentials(exec, 17, 0, 1, View<const double>(none.view()), none.view(), one.data());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("size 17"), std::string::npos) << error.what();
    EXPECT_NE(error.help().find("1 to 16"), std::string::npos) << error.help();
  }
}

}  // namespace
}  // namespace tessera
