// Every method of the two-point problem, in every precision and on every backend, against the direct solution.
#include "solvers/two_point/two_point.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "base/error.hpp"
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

  static std::vector<T> solve(Exec& exec, const std::vector<double>& f, double h, const TwoPointParams& params) {
    const auto solver = make_two_point<Exec, T, R>(exec, static_cast<Offset>(f.size()), params);
    const auto values = to_space<Space>(std::vector<T>(f.begin(), f.end()));
    Array<T, Space> u(values.size());
    solver->solve(exec, h, values, u.view());
    exec.synchronize();
    return to_vector(u);
  }

  /// Parameters of every method that this variant has, with several shapes of the array.
  static std::vector<TwoPointParams> methods() {
    std::vector<TwoPointParams> result;
    for (const TwoPointMethod& method : two_point_table()) {
      if (!(std::is_same_v<Exec, Threads> ? method.threads : method.cuda)) continue;
      if (!std::is_same_v<T, R> && !method.mixed) continue;
      const bool shaped = method.name == "divide_and_conquer" || method.name == "square_blocked";
      for (int rows : shaped ? std::vector{0, 1, 7, 100000} : std::vector{0})
        for (int block : method.name == "square_blocked" ? std::vector{1, 5, 16} : std::vector{16})
          result.push_back({.type = method.name, .rows = rows, .block = block});
    }
    return result;
  }

  static std::string name(const TwoPointParams& params, Offset n) {
    return params.type + ", n = " + std::to_string(n) + ", rows " + std::to_string(params.rows) + ", block " +
           std::to_string(params.block);
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
    for (const TwoPointParams& params : this->methods())
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
    for (const TwoPointParams& params : {TwoPointParams{}, TwoPointParams{.type = "divide_and_conquer"}})
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
    for (const TwoPointParams& params : {TwoPointParams{}, TwoPointParams{.type = "divide_and_conquer"}})
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
  for (const TwoPointParams& params : this->methods()) {
    if (params.rows != 0) continue;
    const auto first = this->solve(exec, f, 1e-5, params);
    for (int run = 0; run < 3; ++run) EXPECT_EQ(this->solve(exec, f, 1e-5, params), first) << params.type;
  }
}

TYPED_TEST(TwoPoint, DoesNotDependOnTheNumberOfThreads) {
  if constexpr (std::is_same_v<typename TypeParam::Exec, Threads>) {
    const std::vector<double> f = random_values(70001);
    for (const TwoPointParams& params : this->methods()) {
      if (params.rows != 0) continue;
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
  for (const TwoPointParams& params : this->methods()) {
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
    for (const TwoPointParams& params : this->methods())
      EXPECT_FALSE(std::isfinite(this->solve(exec, f, 1e-4, params).front())) << this->name(params, 10000);
  }
}

TYPED_TEST(TwoPoint, BackwardErrorIsOfTheOrderOfRounding) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  typename TypeParam::Exec exec;
  const std::vector<double> f = random_values(30011);
  const std::vector<T> values(f.begin(), f.end());
  for (const TwoPointParams& params : this->methods()) {
    std::vector<T> u = this->solve(exec, f, 1.0 / 30011, params);
    const View<const T> fs(values.data(), 30011), us(u.data(), 30011);
    EXPECT_LE(two_point_backward_error(1.0 / 30011, fs, us), 4 * std::numeric_limits<T>::epsilon()) << params.type;
    u[777] *= T(1.01);
    EXPECT_GE(two_point_backward_error(1.0 / 30011, fs, us), 1e-3) << "an error must be seen";
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
    errors1.push_back(relative_error(Fixture::solve(exec, f1, h, {}), u1));
    errors2.push_back(relative_error(Fixture::solve(exec, f2, h, {}), u2));
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
  const TwoPointParams a1{.type = "sequential"}, a2{.type = "divide_and_conquer", .rows = 1024};
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
  expect_refused([&] { make_two_point<Threads, double>(exec, 0, {}); }, "0 unknowns");
  expect_refused([&] { make_two_point<Threads, double>(exec, 8, {.rows = -1}); }, "rows is -1");
  expect_refused([&] { make_two_point<Threads, double>(exec, 8, {.type = "square_blocked", .block = 1000}); },
                 "block is 1000");
  expect_refused([&] { make_two_point<Threads, float, double>(exec, 8, {.type = "sequential"}); },
                 "no mixed precision");
}

}  // namespace
}  // namespace tessera::solvers
