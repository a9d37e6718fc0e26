// tridiag(-1, 2 + delta, -1): any n, batches, shifts from tiny to large, against elimination in long double.
#include "solvers/tridiagonal/toeplitz.hpp"

#include <limits>

#include "base/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/tridiagonal/systems.hpp"

namespace tessera::testing {
namespace {

template <class Exec>
class Toeplitz : public ::testing::Test {};
TYPED_TEST_SUITE(Toeplitz, Backends);

/// The same system in long double: (2 + delta) formed there, where it does not round. Elimination in the form without
/// cancellation, pivot_k = 1 + q_k, q_k = delta + q_{k-1} / (1 + q_{k-1}).
template <class T>
std::vector<long double> exact(Index n, long double delta, const T* g) {
  std::vector<long double> q(n), x(n);
  long double sum = 0;
  for (Index k = 0; k < n; ++k) {
    q[k] = k == 0 ? 1 + delta : delta + q[k - 1] / (1 + q[k - 1]);
    sum = g[k] + (k > 0 ? sum / (1 + q[k - 1]) : 0);
    x[k] = sum;
  }
  for (Index k = n; k-- > 0;) x[k] = (x[k] + (k + 1 < n ? x[k + 1] : 0)) / (1 + q[k]);
  return x;
}

template <class T, class Exec>
double worst_error(Exec& exec, Index n, Index systems, const std::vector<double>& deltas, Index repeat,
                   bool in_place = false) {
  using Space = typename Exec::Space;
  std::mt19937_64 generator(n + systems);
  std::uniform_real_distribution<double> uniform(0.5, 1);
  std::vector<T> g(static_cast<std::size_t>(n) * systems);
  for (T& value : g) value = static_cast<T>(uniform(generator));
  auto rhs = to_space<Space>(g);
  Array<T, Space> x(rhs.size());
  const auto delta = to_space<Space>(deltas);
  solvers::ToeplitzSolver<Exec, T> solver;
  solver.solve(exec, {n, systems, delta.view(), repeat}, View<const T>(rhs.view()), in_place ? rhs.view() : x.view());
  exec.synchronize();
  const std::vector<T> found = to_vector(in_place ? rhs : x);
  long double worst = 0;
  for (Index s = 0; s < systems; ++s) {
    const std::size_t first = static_cast<std::size_t>(s) * n;
    const auto reference = exact(n, deltas[s / repeat % deltas.size()], g.data() + first);
    for (Index k = 0; k < n; ++k) {
      // Green's function is positive, and so is g: every entry is known to its own size.
      const long double error = std::abs(found[first + k] - reference[k]) / reference[k];
      if (!(error <= worst)) worst = error;
    }
  }
  return static_cast<double>(worst);
}

TYPED_TEST(Toeplitz, SolvesEverySize) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (Index n = 1; n <= 70; ++n)
    for (const double delta : {1e-6, 0.1, 2.0, 8.0}) {
      EXPECT_LE((worst_error<double>(exec, n, 1, {delta}, 1)), 4e-14) << n << ", delta " << delta;
      EXPECT_LE((worst_error<float>(exec, n, 1, {delta}, 1)), 2e-5) << n << ", delta " << delta;
    }
  for (const Index n : {127,  128,  129,  255,  256,  257,  511,  512,  513,   997,   1023,  1024,  1025,
                        2047, 3000, 4095, 4096, 4097, 8191, 8192, 8193, 10007, 65535, 65536, 65537, 99991})
    for (const double delta : {1e-9, 1e-4, 1.0})
      EXPECT_LE((worst_error<double>(exec, n, 1, {delta}, 1)), 2e-12) << n << ", delta " << delta;
}

TYPED_TEST(Toeplitz, TinyShiftsKeepTheirDigits) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // With 2 + delta in the type's own precision the errors would be 1e-9 and 1 (FORMULAS of the method's page).
  EXPECT_LE((worst_error<double>(exec, 32767, 1, {1e-8}, 1)), 5e-12);
  EXPECT_LE((worst_error<float>(exec, 32767, 1, {1e-8}, 1)), 1e-4);
}

TYPED_TEST(Toeplitz, BatchesTakeTheirShifts) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const std::vector<double> shifts{1e-5, 0.01, 0.5, 3, 7.9};
  for (const Index n : {1, 7, 63, 255, 300, 1023, 1500, 4095, 9000}) {
    EXPECT_LE((worst_error<double>(exec, n, 13, shifts, 1)), 1e-12) << n;
    EXPECT_LE((worst_error<double>(exec, n, 13, shifts, 2)), 1e-12) << n;
    EXPECT_LE((worst_error<double>(exec, n, 3, {0.25}, 1, /*in_place=*/true)), 1e-13) << n;
    EXPECT_LE((worst_error<float>(exec, n, 13, shifts, 1)), 5e-5) << n;
  }
}

TYPED_TEST(Toeplitz, HugeShiftsNeitherOverflowNorVanish) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const Index n : {10, 255, 1000, 9000})
    for (const double delta : {1e3, 1e9, 1e15})
      EXPECT_LE((worst_error<double>(exec, n, 1, {delta}, 1)), 1e-14) << n << ", delta " << delta;
}

TEST(ToeplitzChecks, WrongSizesAreRefused) {
  Threads exec;
  std::vector<double> values(6, 1.0);
  const View<const double> g{values.data(), 6};
  View<double> v{values.data(), 6};
  solvers::ToeplitzSolver<Threads> solver;
  EXPECT_THROW(solver.solve(exec, {5, 1, g.part(0, 1), 1}, g, v), Error);
  EXPECT_THROW(solver.solve(exec, {6, 1, g.part(0, 0), 1}, g, v), Error);
  EXPECT_THROW(solver.solve(exec, {0, 1, g.part(0, 1), 1}, g.part(0, 0), v.part(0, 0)), Error);
}

}  // namespace
}  // namespace tessera::testing
