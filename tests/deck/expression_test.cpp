#include <clocale>
#include <cmath>
#include <functional>
#include <numbers>

#include "schema_fixture.hpp"

namespace tessera::deck {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<double> sample_points(std::size_t count) {
  std::vector<double> points(3 * count);
  std::uint32_t state = 12345;
  for (double& p : points) {
    state = state * 1664525u + 1013904223u;
    p = 0.05 + 0.9 * (state >> 8) / double(1u << 24);
  }
  return points;
}

TEST(Expression, AgreesWithCpp) {
  using F = std::function<double(double, double, double, double)>;
  const std::vector<std::pair<std::string, F>> cases = {
      {"sin(pi*x)*sin(pi*y)", [](double x, double y, double, double) { return std::sin(pi * x) * std::sin(pi * y); }},
      {"2*sin (x) + max  (x, 3 * (y))",
       [](double x, double y, double, double) { return 2 * std::sin(x) + std::max(x, 3 * y); }},
      {"-x^2", [](double x, double, double, double) { return -(x * x); }},
      {"x^2^y", [](double x, double y, double, double) { return std::pow(x, std::pow(2, y)); }},
      {"2^-y", [](double, double y, double, double) { return std::pow(2, -y); }},
      {"x - y - z/2/t", [](double x, double y, double z, double t) { return x - y - z / 2 / t; }},
      {"exp(-t)*cos(_pi*z)", [](double, double, double z, double t) { return std::exp(-t) * std::cos(pi * z); }},
      {"log(x) + log10(y) + ln(z) + log2(t)",
       [](double x, double y, double z, double t) { return std::log(x) + std::log10(y) + std::log(z) + std::log2(t); }},
      {"atan2(y, x) + hypot(x, y) + pow(x, 3)",
       [](double x, double y, double, double) { return std::atan2(y, x) + std::hypot(x, y) + x * x * x; }},
      {"tanh(x)+sqrt(y)+abs(z-1)+sign(x-y)",
       [](double x, double y, double z, double) {
         return std::tanh(x) + std::sqrt(y) + std::fabs(z - 1) + (x > y ? 1 : x < y ? -1 : 0);
       }},
      {"min(x,y,z) + max(x,y) + sum(x,y,z)",
       [](double x, double y, double z, double) {
         return std::min({x, y, z}) + std::max(x, y) + x + y + z;
       }},
      {"x < 0.5 ? 1 : 2*y", [](double x, double y, double, double) { return x < 0.5 ? 1.0 : 2 * y; }},
      {"if(x < 0.5 && y >= 0.2, 1, 2*y)",
       [](double x, double y, double, double) { return x < 0.5 && y >= 0.2 ? 1.0 : 2 * y; }},
      {"1.5e-3*x + 2E+2 + .5 + 1e5*y",
       [](double x, double y, double, double) { return 1.5e-3 * x + 2e2 + .5 + 1e5 * y; }},
      {"mod(10*x, 3) + floor(4*y) + ceil(z) + erf(x)",
       [](double x, double y, double z, double) {
         return 10 * x - 3 * std::floor(10 * x / 3) + std::floor(4 * y) + std::ceil(z) + std::erf(x);
       }},
  };
  const std::size_t count = 10000;  // enough for several threads
  const auto points = sample_points(count);
  const double t = 0.7;
  for (const auto& [text, f] : cases) {
    const Expression expression(text);
    EXPECT_FALSE(expression.is_constant());
    Evaluator evaluator(expression);
    std::vector<double> values(count);
    evaluator.evaluate(points.data(), count, t, values.data());
    for (std::size_t i = 0; i < count; ++i) {
      const double expected = f(points[3 * i], points[3 * i + 1], points[3 * i + 2], t);
      ASSERT_NEAR(values[i], expected, 1e-13 * (1 + std::fabs(expected))) << text << " at " << i;
      ASSERT_EQ(values[i], evaluator(&points[3 * i], t)) << text;
    }
  }
}

TEST(Expression, Constants) {
  EXPECT_TRUE(Expression(2.5).is_constant());
  EXPECT_EQ(Expression(2.5).text(), "2.5");
  EXPECT_EQ(Expression("2*pi").constant(), 2 * pi);
  EXPECT_FALSE(Expression("x*0").is_constant());
  EXPECT_TRUE(Expression("t").depends_on_time());
  EXPECT_FALSE(Expression("tanh(x)").depends_on_time());
  EXPECT_EQ(Expression("1e5").constant(), 1e5);
  Evaluator evaluator(Expression("3"));
  const double point[3] = {};
  double value = 0;
  evaluator.evaluate(point, 1, 0, &value);
  EXPECT_EQ(value, 3);
}

TEST(Expression, NonFiniteValueNamesTheFirstPoint) {
  auto points = sample_points(20000);
  points[3 * 15000] = -1;
  points[3 * 15001] = -2;
  const Position where{"deck.toml", 4, 10, "value = \"sqrt(x*t)\"", 9};
  Evaluator evaluator(Expression("sqrt(x*t)", where));
  std::vector<double> values(20000);
  try {
    evaluator.evaluate(points.data(), values.size(), 2.5, values.data());
    FAIL();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(what.find("'sqrt(x*t)' is"), std::string::npos) << what;
    EXPECT_NE(what.find("nan at (x, y, z) = (-1,"), std::string::npos) << what;
    EXPECT_NE(what.find("t = 2.5"), std::string::npos) << what;
    EXPECT_EQ(error.where()->line, 4);
  }
}

TEST(Expression, CopiesShareAndEvaluatorsAreIndependent) {
  const Expression a("x + y");
  const Expression b = a;
  Evaluator first(a), second(b);
  Evaluator moved = std::move(first);
  const double p[3] = {1, 2, 0}, q[3] = {3, 4, 0};
  EXPECT_EQ(moved(p), 3);
  EXPECT_EQ(second(q), 7);
  EXPECT_EQ(moved(p), 3);
}

TEST(Expression, DecimalPointWhateverTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(Expression("1.5").constant(), 1.5);
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Expression, RandomNumbersAreNotOffered) { EXPECT_THROW(Expression("rnd()"), Error); }

}  // namespace
}  // namespace tessera::deck
