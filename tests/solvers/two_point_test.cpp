// Every method of the two-point problem, in every precision and on every backend, against the direct solution.
#include "solvers/two_point/two_point.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "base/error.hpp"
#include "solvers/solve.hpp"
#include "solvers/two_point/square_blocked.hpp"
#include "support/errors.hpp"
#include "support/orders.hpp"
#include "support/precisions.hpp"

namespace tessera::solvers {
namespace {

constexpr double pi = 3.14159265358979323846;

std::vector<double> random_values(Offset n) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> f(static_cast<std::size_t>(n));
  for (double& v : f) v = value(engine);
  return f;
}

/// The recurrences in long double.
std::vector<double> direct(const std::vector<double>& f, double h) {
  std::vector<long double> u(f.size());
  for (std::size_t i = 0; i < f.size(); ++i) u[i] = static_cast<long double>(h) * h * f[i] * (i == 0 ? 0.5L : 1.0L);
  for (std::size_t i = 1; i < u.size(); ++i) u[i] += u[i - 1];
  for (std::size_t i = u.size() - 1; i-- > 0;) u[i] += u[i + 1];
  return {u.begin(), u.end()};
}

double norm(const std::vector<double>& x) {
  long double sum = 0;
  for (double value : x) sum += static_cast<long double>(value) * value;
  return static_cast<double>(std::sqrt(sum));
}

template <class T>
double relative_error(const std::vector<T>& u, const std::vector<double>& exact) {
  std::vector<double> difference(exact);
  for (std::size_t i = 0; i < u.size(); ++i) difference[i] -= static_cast<double>(u[i]);
  return norm(difference) / norm(exact);
}

template <class V>
class TwoPoint : public ::testing::Test {
 public:
  using Exec = typename V::Exec;
  using T = typename V::T;
  using R = typename V::R;
  using Space = typename Exec::Space;

  static std::vector<T> solve(Exec& exec, const std::vector<double>& f, double h, const SolverParams& params) {
    const auto solver = make_two_point<Exec, T, R>(exec, static_cast<Offset>(f.size()), params);
    const auto values = to_space<Space>(std::vector<T>(f.begin(), f.end()));
    Array<T, Space> u(values.size());
    solver->solve(exec, h, values, u.view());
    exec.synchronize();
    return to_vector(u);
  }

  /// Parameters of every method that this variant has, with several shapes of the array.
  static std::vector<SolverParams> methods() {
    std::vector<SolverParams> result;
    for (const MethodEntry& method : solver_table()) {
      if (!method.two_point || !has(method)) continue;
      const auto values = [&](const char* key, std::vector<int> some) {
        return method.own.has(key) ? some : std::vector<int>{-1};
      };
      for (int rows : values("rows", {0, 1, 7, 100000}))
        for (int block : values("block", {1, 5, 16})) result.push_back(with(method, rows, block));
    }
    return result;
  }

  static bool has(const MethodEntry& method) {
    const TwoPointPrecisions<Exec>* makers;
    if constexpr (std::is_same_v<Exec, Threads>)
      makers = &method.two_point->threads;
    else
      makers = &method.two_point->cuda;
    if constexpr (std::is_same_v<T, double>)
      return makers->in_double;
    else
      return std::is_same_v<T, R> ? makers->in_float : makers->mixed;
  }

  /// The method with these keys, where it has them; its name says so.
  static SolverParams with(const MethodEntry& method, int rows, int block) {
    std::string deck = "[solver]\n";
    if (rows >= 0) deck += "rows = " + std::to_string(rows) + "\n";
    if (block >= 0) deck += "block = " + std::to_string(block) + "\n";
    SolverParams params{.type = method.name};
    if (method.own.read) params.method = method.own.read(deck::Deck::parse(deck, method.name));
    params.precision = !std::is_same_v<T, R> ? "mixed" : std::is_same_v<T, double> ? "double" : "float";
    return params;
  }

  static std::string name(const SolverParams& params, Offset n) {
    const auto own = params.method.as<two_point::SquareBlockedParams>();
    const int rows = std::max(own.rows, params.method.as<two_point::ColumnsParams>().rows);
    return params.type + ", n = " + std::to_string(n) + ", rows " + std::to_string(rows) + ", block " +
           std::to_string(own.block);
  }
};
TYPED_TEST_SUITE(TwoPoint, testing::AllPrecisions);

TYPED_TEST(TwoPoint, AgreesWithTheDirectSolution) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  const double unit = std::numeric_limits<typename TypeParam::T>::epsilon();
  for (Offset n : {1, 2, 3, 5, 17, 1023, 1024, 1025, 4096, 7919}) {
    const std::vector<double> f = random_values(n);
    const double h = 1.0 / static_cast<double>(n);
    // f as the method sees it
    const std::vector<typename TypeParam::T> rounded(f.begin(), f.end());
    const std::vector<double> exact = direct({rounded.begin(), rounded.end()}, h);
    for (const SolverParams& params : this->methods())
      EXPECT_LE(relative_error(this->solve(exec, f, h, params), exact), (4 + 0.5 * static_cast<double>(n)) * unit)
          << this->name(params, n);
  }
}

TYPED_TEST(TwoPoint, ManyTilesAgreeWithTheDirectSolution) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  const double unit = std::numeric_limits<typename TypeParam::T>::epsilon();
  for (Offset n : {Offset{1} << 20, (Offset{1} << 20) + 1, Offset{1299709}}) {
    const std::vector<double> f = random_values(n);
    const double h = 1.0 / static_cast<double>(n);
    const std::vector<typename TypeParam::T> rounded(f.begin(), f.end());
    const std::vector<double> exact = direct({rounded.begin(), rounded.end()}, h);
    for (const SolverParams& params : {SolverParams{.type = "scan"}, SolverParams{.type = "divide_and_conquer"}})
      EXPECT_LE(relative_error(this->solve(exec, f, h, params), exact), 2000 * unit) << this->name(params, n);
  }
}

// A parabola has no fourth derivative: the scheme is exact, u = (1 - x^2)/2.
TYPED_TEST(TwoPoint, IsExactForAParabola) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  const double unit = std::numeric_limits<typename TypeParam::T>::epsilon();
  for (Offset n : {1, 4, 1000, 65536}) {
    std::vector<double> exact(static_cast<std::size_t>(n));
    for (Offset i = 0; i < n; ++i) {
      const double x = static_cast<double>(i) / static_cast<double>(n);
      exact[i] = 0.5 * (1 - x * x);
    }
    for (const SolverParams& params : {SolverParams{.type = "scan"}, SolverParams{.type = "divide_and_conquer"}})
      EXPECT_LE(relative_error(this->solve(exec, std::vector<double>(static_cast<std::size_t>(n), 1.0),
                                           1.0 / static_cast<double>(n), params),
                               exact),
                200 * unit)
          << this->name(params, n);
  }
}

TYPED_TEST(TwoPoint, IsRepeatableBitByBit) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  const std::vector<double> f = random_values(70001);
  for (const SolverParams& params : this->methods()) {
    if (params.method.as<two_point::ColumnsParams>().rows != 0) continue;
    const auto first = this->solve(exec, f, 1e-5, params);
    for (int run = 0; run < 3; ++run) EXPECT_EQ(this->solve(exec, f, 1e-5, params), first) << params.type;
  }
}

TYPED_TEST(TwoPoint, DoesNotDependOnTheNumberOfThreads) {
  if constexpr (std::is_same_v<typename TypeParam::Exec, Threads>) {
    const std::vector<double> f = random_values(70001);
    for (const SolverParams& params : this->methods()) {
      if (params.method.as<two_point::ColumnsParams>().rows != 0) continue;
      Threads one(1), many(5);
      EXPECT_EQ(this->solve(one, f, 1e-5, params), this->solve(many, f, 1e-5, params)) << params.type;
    }
  }
}

TYPED_TEST(TwoPoint, SolvesInPlaceAndAgain) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using Fixture = std::remove_reference_t<decltype(*this)>;
  using T = typename TypeParam::T;
  typename TypeParam::Exec exec;
  const std::vector<double> f = random_values(9973);
  for (const SolverParams& params : this->methods()) {
    const std::vector<T> expected = this->solve(exec, f, 0.25, params);
    const auto solver = make_two_point<typename TypeParam::Exec, T, typename TypeParam::R>(exec, 9973, params);
    for (int run = 0; run < 2; ++run) {
      auto u = to_space<typename Fixture::Space>(std::vector<T>(f.begin(), f.end()));
      solver->solve(exec, 0.25, u.view(), u.view());
      EXPECT_EQ(to_vector(u), expected) << this->name(params, 9973);
    }
  }
}

TYPED_TEST(TwoPoint, AValueThatIsNotFiniteReachesTheFirstUnknown) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  for (std::size_t place : {0, 4000, 9999}) {
    std::vector<double> f = random_values(10000);
    f[place] = std::nan("");
    for (const SolverParams& params : this->methods())
      EXPECT_FALSE(std::isfinite(this->solve(exec, f, 1e-4, params).front())) << this->name(params, 10000);
  }
}

TYPED_TEST(TwoPoint, BackwardErrorIsOfTheOrderOfRounding) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  typename TypeParam::Exec exec;
  const std::vector<double> f = random_values(30011);
  const std::vector<T> values(f.begin(), f.end());
  for (const SolverParams& params : this->methods()) {
    std::vector<T> u = this->solve(exec, f, 1.0 / 30011, params);
    const View<const T> fs(values.data(), 30011), us(u.data(), 30011);
    EXPECT_LE(two_point_backward_error(1.0 / 30011, fs, us), 4 * std::numeric_limits<T>::epsilon()) << params.type;
    u[777] *= T(1.01);
    EXPECT_GE(two_point_backward_error(1.0 / 30011, fs, us), 1e-3) << "an error must be seen";
  }
}

// What the table says of them is what `check` forecasts.
TYPED_TEST(TwoPoint, TakesTheMemoryThatTheTableSays) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using Exec = typename TypeParam::Exec;
  Exec exec;
  const Offset n = 1 << 22;
  for (const SolverParams& params : this->methods()) {
    const auto solver = make_two_point<Exec, typename TypeParam::T, typename TypeParam::R>(exec, n, params);
    EXPECT_NEAR(solver_bytes<Exec>(params, n, 0), solver->workspace_bytes(), 16e3) << this->name(params, n);
  }
}

// -u'' = f with u = cos(pi/2 x) (P1 of the source) and u = 100 (exp(-100 x^2) - exp(-100)) (P2).
TEST(TwoPointConvergence, IsSecondOrder) {
  Threads exec;
  std::vector<double> errors1, errors2;
  for (Offset n : {64, 128, 256, 512, 1024}) {
    std::vector<double> f1, f2, u1, u2;
    for (Offset i = 0; i < n; ++i) {
      const double x = static_cast<double>(i) / static_cast<double>(n);
      f1.push_back(pi * pi / 4 * std::cos(pi / 2 * x));
      u1.push_back(std::cos(pi / 2 * x));
      f2.push_back(20000 * std::exp(-100 * x * x) * (1 - 200 * x * x));
      u2.push_back(100 * (std::exp(-100 * x * x) - std::exp(-100.0)));
    }
    const double h = 1.0 / static_cast<double>(n);
    using Fixture = TwoPoint<testing::On<Threads, double>>;
    errors1.push_back(relative_error(Fixture::solve(exec, f1, h, {.type = "scan"}), u1));
    errors2.push_back(relative_error(Fixture::solve(exec, f2, h, {.type = "scan"}), u2));
  }
  for (std::size_t k = 1; k < errors1.size(); ++k) {
    EXPECT_NEAR(testing::observed_order(errors1[k - 1], errors1[k]), 2, 0.01);
    EXPECT_NEAR(testing::observed_order(errors2[k - 1], errors2[k]), 2, 0.05);
  }
}

// Table I of the source at n = 2^20, r = s: one core in single precision loses four digits against the array.
TEST(TwoPointAccuracy, ColumnsSaveSinglePrecision) {
  Threads exec;
  const Offset n = 1 << 20;
  std::vector<double> f, exact;
  for (Offset i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(n);
    f.push_back(pi * pi / 4 * std::cos(pi / 2 * x));
    exact.push_back(std::cos(pi / 2 * x));
  }
  const double h = 1.0 / static_cast<double>(n);
  using Single = TwoPoint<testing::On<Threads, float>>;
  using Mixed = TwoPoint<testing::On<Threads, float, double>>;
  using Double = TwoPoint<testing::On<Threads, double>>;
  const SolverParams a1{.type = "sequential"},
      a2{.type = "divide_and_conquer", .method = two_point::ColumnsParams{1024}};
  const double a1s = relative_error(Single::solve(exec, f, h, a1), exact);
  const double a2s = relative_error(Single::solve(exec, f, h, a2), exact);
  const double a2sd = relative_error(Mixed::solve(exec, f, h, a2), exact);
  EXPECT_GT(a1s, 5e-5);
  EXPECT_LT(a1s, 5e-4);
  EXPECT_LT(a2s, 2e-6);
  EXPECT_LT(a2sd, 5e-7);
  EXPECT_NEAR(relative_error(Double::solve(exec, f, h, a1), exact), 1.930917e-13, 1e-15);
  EXPECT_NEAR(relative_error(Double::solve(exec, f, h, a2), exact), 1.877603e-13, 1e-15);
}

TEST(TwoPointErrors, NameWhatIsWrong) {
  using testing::expect_refused;
  Threads exec;
  expect_refused([&] { make_two_point<Threads, double>(exec, 8, {.type = "scann"}); }, "'scann'");
  expect_refused([&] { make_two_point<Threads, double>(exec, 8, {.type = "cg"}); }, "none of two-point problems");
  expect_refused([&] { make_two_point<Threads, double>(exec, 0, {.type = "scan"}); }, "0 unknowns");
  const SolverParams below{.type = "divide_and_conquer", .method = two_point::ColumnsParams{-1}};
  expect_refused([&] { make_two_point<Threads, double>(exec, 8, below); }, "rows is -1");
  const SolverParams large{.type = "square_blocked", .method = two_point::SquareBlockedParams{0, 1000}};
  expect_refused([&] { make_two_point<Threads, double>(exec, 8, large); }, "block is 1000");
  expect_refused([&] { make_two_point<Threads, float, double>(exec, 8, {.type = "sequential"}); },
                 "no mixed precision");
}

}  // namespace
}  // namespace tessera::solvers
