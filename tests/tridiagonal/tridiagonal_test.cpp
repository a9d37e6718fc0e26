// Every method against elimination in long double: sizes at all borders, batches, both layouts, both types, both
// backends.
#include "solvers/tridiagonal/tridiagonal.hpp"

#include <limits>

#include "base/error.hpp"
#include "solvers/tridiagonal/sizes.hpp"
#include "tests/support/backends.hpp"
#include "tests/tridiagonal/systems.hpp"

namespace tessera::testing {
namespace {

using Method = solvers::TridiagonalMethod;
using Check = solvers::TridiagonalCheck;
using solvers::TridiagonalParams;
using solvers::TridiagonalReport;

constexpr auto contiguous = TridiagonalLayout::contiguous;
constexpr auto interleaved = TridiagonalLayout::interleaved;

const std::vector<Method> all_methods{
    Method::thomas, Method::lu_pivoting, Method::cyclic_reduction, Method::parallel_cyclic_reduction,
    Method::cr_pcr, Method::spike_cr,    Method::spike_pivoting,   Method::spike_diagonal_pivoting};
const std::vector<Method> pivoting_methods{Method::lu_pivoting, Method::spike_pivoting,
                                           Method::spike_diagonal_pivoting};

/// 1, 2, 3, odd, prime, powers of two and their neighbours, and the borders of warps, blocks, partitions and levels.
std::vector<Index> sizes() {
  namespace t = solvers::tridiagonal;
  std::vector<Index> result{1,   2,   3,   4,   5,   6,   7,    8,    13,   16,   31,    61,   127,
                            128, 129, 511, 512, 513, 997, 1023, 1024, 1025, 4099, 10007, 16384};
  for (const Index border :
       {32, 64, 32 * 3, 32 * t::spike_cr_rows, 64 * t::spike_cr_rows, t::spike_cr_block_rows, 32 * t::pivoting_rows,
        t::pivoting_rows, 2 * t::pivoting_rows, 32 * t::diagonal_rows, t::host_sequential_rows, t::cr_pcr_rows})
    for (const Index n : {border - 1, border, border + 1}) result.push_back(n);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

template <class Exec>
class TridiagonalMethods : public ::testing::Test {};
TYPED_TEST_SUITE(TridiagonalMethods, Backends);

template <class T, class Exec>
void expect_exact(Exec& exec, const Batch<T>& batch, const std::vector<Method>& methods) {
  const std::vector<long double> reference = reference_solution(batch);
  for (const Method method : methods) {
    const std::vector<T> x = solve_on(exec, batch, {method, Check::none});
    EXPECT_LE(forward_error(batch, x, reference), 200 * std::numeric_limits<T>::epsilon())
        << name_of(method) << ", n = " << batch.n << ", systems = " << batch.systems
        << (batch.layout == interleaved ? ", interleaved" : "");
  }
}

TYPED_TEST(TridiagonalMethods, SolveDominantSystemsOfEverySize) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const Index n : sizes()) {
    expect_exact(exec, random_batch<double>(n, 1, contiguous, Kind::dominant, n), all_methods);
    expect_exact(exec, random_batch<float>(n, 1, contiguous, Kind::dominant, n), all_methods);
  }
}

TYPED_TEST(TridiagonalMethods, SolveBatchesInBothLayouts) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const Index n : {1, 2, 3, 17, 33, 100, 225, 1000, 3601})
    for (const Index systems : {2, 7, 33})
      for (const auto layout : {contiguous, interleaved}) {
        if (static_cast<Offset>(n) * systems > 26000) continue;
        expect_exact(exec, random_batch<double>(n, systems, layout, Kind::dominant, n + systems), all_methods);
        expect_exact(exec, random_batch<float>(n, systems, layout, Kind::dominant, n + systems), all_methods);
      }
}

TYPED_TEST(TridiagonalMethods, SolveALargeSystemThroughAllLevels) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  expect_exact(exec, random_batch<double>(1000003, 1, contiguous, Kind::dominant),
               {Method::thomas, Method::spike_cr, Method::spike_pivoting});
}

TYPED_TEST(TridiagonalMethods, PivotingIsBackwardStableWithoutDominance) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const Index n : sizes()) {
    if (n > 5000 && n % 2 == 1) continue;
    for (const Index systems : {1, 3}) {
      const auto batch = random_batch<double>(n, systems, contiguous, Kind::general, 7 * n + systems);
      const auto single = random_batch<float>(n, systems, interleaved, Kind::general, 7 * n + systems);
      for (const Method method : pivoting_methods) {
        const double loss = method == Method::spike_diagonal_pivoting ? 1e3 : 1;  // partitions may be ill-conditioned
        EXPECT_LE(backward_error(batch, solve_on(exec, batch, {method, Check::none})), 5e-15 * loss)
            << name_of(method) << ", n = " << n;
        EXPECT_LE(backward_error(single, solve_on(exec, single, {method, Check::none})), 2e-6 * loss)
            << name_of(method) << ", n = " << n;
      }
    }
  }
}

TYPED_TEST(TridiagonalMethods, WorkInPlaceAndRepeatBitForBit) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const auto layout : {contiguous, interleaved}) {
    const auto batch = random_batch<double>(5003, 3, layout, Kind::dominant);
    for (const Method method : all_methods) {
      const auto x = solve_on(exec, batch, {method, Check::none});
      EXPECT_EQ(x, solve_on(exec, batch, {method, Check::none})) << name_of(method);
      Placed<typename TypeParam::Space, double> placed(batch);
      solvers::TridiagonalSolver<TypeParam> solver({method, Check::none});
      solver.solve(exec, placed.matrix, View<const double>(placed.rhs.view()), placed.rhs.view());
      exec.synchronize();
      EXPECT_EQ(x, to_vector(placed.rhs)) << name_of(method) << " in place";
    }
  }
}

TEST(Tridiagonal, ResultsDoNotDependOnTheNumberOfThreads) {
  const auto batch = random_batch<double>(100003, 1, contiguous, Kind::general);
  Threads one(1), three(3);
  for (const Method method :
       {Method::spike_cr, Method::spike_pivoting, Method::spike_diagonal_pivoting, Method::cr_pcr})
    EXPECT_EQ(solve_on(one, batch, {method, Check::none}), solve_on(three, batch, {method, Check::none}))
        << name_of(method);
}

TYPED_TEST(TridiagonalMethods, TheFrontFunctionChoosesByTheMatrix) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  TridiagonalReport report;
  const auto dominant = random_batch<double>(5000, 1, contiguous, Kind::dominant);
  EXPECT_LE(forward_error(dominant, solve_on(exec, dominant, {}, &report), reference_solution(dominant)), 1e-13);
  EXPECT_EQ(report.method, Method::spike_cr);
  EXPECT_EQ(report.weak_rows, 0);
  EXPECT_LE(report.backward_error, 1e-15);
  EXPECT_TRUE(report.solved()) << report.failure;

  const auto general = random_batch<double>(5000, 1, contiguous, Kind::general);
  EXPECT_LE(backward_error(general, solve_on(exec, general, {}, &report)), 1e-14);
  EXPECT_EQ(report.method, Method::spike_pivoting);
  EXPECT_GT(report.weak_rows, 0);
  EXPECT_NE(report.note.find("not diagonally dominant"), std::string::npos) << report.note;

  const auto many = random_batch<double>(20, 10000, interleaved, Kind::dominant);
  solve_on(exec, many, {}, &report);
  EXPECT_EQ(report.method, Method::thomas);
  const auto many_general = random_batch<double>(20, 10000, interleaved, Kind::general);
  EXPECT_LE(backward_error(many_general, solve_on(exec, many_general, {}, &report)), 1e-13);
  EXPECT_EQ(report.method, Method::lu_pivoting);

  solve_on(exec, dominant, {Method::automatic, Check::none}, &report);
  EXPECT_EQ(report.method, Method::spike_pivoting);
  EXPECT_EQ(report.weak_rows, -1);
}

TYPED_TEST(TridiagonalMethods, UnsafeMethodsAreNamed) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  auto batch = random_batch<double>(600, 2, contiguous, Kind::general);
  batch.diag.assign(batch.diag.size(), 0.0);
  TridiagonalReport report;
  solve_on(exec, batch, {Method::spike_cr, Check::residual}, &report);
  EXPECT_NE(report.note.find("not safe"), std::string::npos) << report.note;
  EXPECT_NE(report.failure.find("row 0 of system 0"), std::string::npos) << report.failure;
  EXPECT_LE(backward_error(batch, solve_on(exec, batch, {}, &report)), 1e-14);
  EXPECT_TRUE(report.solved()) << report.failure;
}

TYPED_TEST(TridiagonalMethods, BadMatricesAreNamedWithTheirRow) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  TridiagonalReport report;
  auto batch = random_batch<double>(1000, 1, contiguous, Kind::dominant);
  batch.rhs[777] = std::numeric_limits<double>::quiet_NaN();
  batch.rhs[900] = std::numeric_limits<double>::infinity();
  solve_on(exec, batch, {}, &report);
  EXPECT_NE(report.failure.find("row 777 holds a value that is not finite"), std::string::npos) << report.failure;

  auto zero = random_batch<double>(50, 20, interleaved, Kind::dominant);
  zero.lower[zero.at(3, 40)] = zero.diag[zero.at(3, 40)] = zero.upper[zero.at(3, 40)] = 0;
  solve_on(exec, zero, {}, &report);
  EXPECT_NE(report.failure.find("row 40 of system 3 holds only zeros"), std::string::npos) << report.failure;

  // Singular without a zero row: tridiag(1, 0, 1) of odd size; elimination meets the zero pivot in the last row.
  auto singular = random_batch<double>(301, 1, contiguous, Kind::general);
  for (Index i = 0; i < 301; ++i) singular.diag[i] = 0, singular.lower[i] = singular.upper[i] = 1;
  solve_on(exec, singular, {}, &report);
  EXPECT_FALSE(report.solved());
  EXPECT_NE(report.failure.find("zero pivot in row 300"), std::string::npos) << report.failure;
  EXPECT_NE(report.failure.find("singular"), std::string::npos) << report.failure;
}

TEST(Tridiagonal, WrongSizesAndNamesAreRefused) {
  Threads exec;
  std::vector<double> five(5, 1.0), four(4, 1.0);
  const View<const double> v{five.data(), 5}, w{four.data(), 4};
  View<double> x{five.data(), 5};
  EXPECT_THROW(solvers::solve_tridiagonal(exec, Tridiagonal<double>{v, v, v, 0, 1}, v, x), Error);
  EXPECT_THROW(solvers::solve_tridiagonal(exec, Tridiagonal<double>{v, v, w, 5, 1}, v, x), Error);
  EXPECT_THROW(solvers::solve_tridiagonal(exec, Tridiagonal<double>{v, v, v, 5, 2}, v, x), Error);
  EXPECT_EQ(solvers::tridiagonal_method("spike_cr"), Method::spike_cr);
  try {
    solvers::tridiagonal_method("spike_rc");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.help().find("spike_cr"), std::string::npos) << error.help();
  }
}

}  // namespace
}  // namespace tessera::testing
