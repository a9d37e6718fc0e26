// Values of expressions against muParser's, and of the functions against those in extended precision.
#include <gtest/gtest.h>

#include <bit>
#include <thread>

#include "deck/expression.hpp"
#include "deck/expression/parse.hpp"
#include "deck/expression/program.hpp"
#include "deck/expression/text.hpp"
#include "deck/expression/vector_math.hpp"
#include "expression_oracle.hpp"

namespace tessera::deck::testing {
namespace {

using expressions::Op;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Values of a text without the check that they are finite.
std::vector<double> values_of(const expressions::Root& root, const std::vector<double>& points, double t) {
  std::vector<double> values(points.size() / 3);
  expressions::Program::Workspace workspace;
  const expressions::Input inputs[] = {{points.data(), 3}, {points.data() + 1, 3}, {points.data() + 2, 3}, {&t, 0}};
  expressions::Program(root.tree, root.node).evaluate(inputs, values.size(), values.data(), workspace);
  return values;
}
std::vector<double> values_of(const std::string& text, const std::vector<double>& points, double t) {
  expressions::check(text, {});
  return values_of(expressions::parse(text, {}), points, t);
}

TEST(ExpressionValues, TenThousandRandomExpressionsAreMuParsers) {
  RandomExpressions random(2024);
  const std::size_t count = 5;
  int not_known = 0, finite = 0, identical = 0;
  for (int i = 0; i < 10000; ++i) {
    const Sample sample = random.next();
    const auto points = random_points(count, static_cast<unsigned>(i + 1));
    const double t = 0.7;
    Oracle oracle(sample.text);
    const std::vector<double> values = values_of(sample.text, points, t);
    for (std::size_t p = 0; p < count; ++p) {
      const double expected = oracle(&points[3 * p], t);
      const Answer answer = judge(values[p], expected, sample, &points[3 * p], t);
      ASSERT_NE(answer, Answer::wrong) << sample.text << "\n is " << values[p] << ", not " << expected << " at "
                                       << points[3 * p] << ", " << points[3 * p + 1] << ", " << points[3 * p + 2];
      not_known += answer == Answer::not_known;
      finite += std::isfinite(expected);
      identical += same(values[p], expected);
    }
  }
  EXPECT_LT(not_known, 500);
  EXPECT_GT(finite, 35000);
  EXPECT_GT(identical, 25000);
}

TEST(ExpressionValues, TextOfATreeParsesToTheSameValues) {
  RandomExpressions random(99);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random.next().text;
    const expressions::Root root = expressions::parse(text, {});
    const std::optional<std::string> written = expressions::to_text(root.tree, root.node);
    ASSERT_TRUE(written);
    const auto points = random_points(9, static_cast<unsigned>(i + 1));
    const std::vector<double> expected = values_of(root, points, 0.7), values = values_of(*written, points, 0.7);
    for (std::size_t p = 0; p < values.size(); ++p)
      ASSERT_TRUE(same(values[p], expected[p])) << text << "\n" << *written << "\n" << values[p] << " " << expected[p];
  }
}

/// Texts whose value depends on what binds tighter, with values of C++.
TEST(ExpressionValues, Precedence) {
  const double x = 0.5, y = 0.25, z = 3;
  const std::pair<const char*, double> table[] = {
      {"-x^2", -(x * x)},
      {"(-x)^2", x * x},
      {"2^-x", std::pow(2, -x)},
      {"2^-x*z", std::pow(2, -x) * z},
      {"2^-x^2", std::pow(2, -(x * x))},
      {"z^2^x", std::pow(z, std::pow(2, x))},
      {"-x*y", -x * y},
      {"z-x-y", z - x - y},
      {"z/x/y", z / x / y},
      {"z/x*y", z / x * y},
      {"z*x/y", z * x / y},
      {"2--x", 2 + x},
      {"2*-x", -2 * x},
      {"x+y*z^2", x + y * z * z},
      {"1 < 2 < z", 1},
      {"z > 2 > 1", 0},
      {"2 == 1 < z", 1},
      {"x + y < z", 1},
      {"x < y || z", 1},
      {"1 || x && 0", 1},
      {"(1 || x) && 0", 0},
      {"y > x || x > y && z > 4", 0},
      {"x > y ? 1 : 2 + z", 1},
      {"(x > y ? 1 : 2) + z", 1 + z},
      {"1 + x ? 2 : z", 2},
      {"x < y ? 1 : x < z ? 4 : 5", 4},
      {"x > y ? x > z ? 1 : 2 : 3", 2},
      {"0 ? 1 : 2, 3 ? 0 : 0", std::nan("")},
      {"min(x ? z : 1, y < x ? 7 : 8, 4)", z},
      {"-x ? 1 : 2", 1},
      {"0 ? 1 : -z", -z},
      {"1e3*x", 500},
      {".5+1.", 1.5},
      {"2E+1-1e-1", 2e1 - 1e-1},
  };
  const std::vector<double> point = {x, y, z};
  for (const auto& [text, expected] : table) {
    if (std::isnan(expected)) {
      EXPECT_THROW(Expression{text}, Error) << text;
      continue;
    }
    EXPECT_DOUBLE_EQ(values_of(text, point, 0)[0], expected) << text;
    EXPECT_DOUBLE_EQ(Oracle(text)(point.data(), 0), expected) << text;
  }
}

struct Reference {
  Op op;
  long double (*value)(long double, long double);
};
const std::vector<Reference>& references() {
  using L = long double;
  static const std::vector<Reference> all = {
      {Op::sin, [](L a, L) { return std::sin(a); }},          {Op::cos, [](L a, L) { return std::cos(a); }},
      {Op::tan, [](L a, L) { return std::tan(a); }},          {Op::asin, [](L a, L) { return std::asin(a); }},
      {Op::acos, [](L a, L) { return std::acos(a); }},        {Op::atan, [](L a, L) { return std::atan(a); }},
      {Op::sinh, [](L a, L) { return std::sinh(a); }},        {Op::cosh, [](L a, L) { return std::cosh(a); }},
      {Op::tanh, [](L a, L) { return std::tanh(a); }},        {Op::asinh, [](L a, L) { return std::asinh(a); }},
      {Op::acosh, [](L a, L) { return std::acosh(a); }},      {Op::atanh, [](L a, L) { return std::atanh(a); }},
      {Op::exp, [](L a, L) { return std::exp(a); }},          {Op::log, [](L a, L) { return std::log(a); }},
      {Op::log2, [](L a, L) { return std::log2(a); }},        {Op::log10, [](L a, L) { return std::log10(a); }},
      {Op::sqrt, [](L a, L) { return std::sqrt(a); }},        {Op::cbrt, [](L a, L) { return std::cbrt(a); }},
      {Op::abs, [](L a, L) { return std::fabs(a); }},         {Op::floor, [](L a, L) { return std::floor(a); }},
      {Op::ceil, [](L a, L) { return std::ceil(a); }},        {Op::rint, [](L a, L) { return std::rint(a); }},
      {Op::erf, [](L a, L) { return std::erf(a); }},          {Op::erfc, [](L a, L) { return std::erfc(a); }},
      {Op::atan2, [](L a, L b) { return std::atan2(a, b); }}, {Op::power, [](L a, L b) { return std::pow(a, b); }},
      {Op::hypot, [](L a, L b) { return std::hypot(a, b); }}, {Op::negate, [](L a, L) { return -a; }},
      {Op::divide, [](L a, L b) { return a / b; }},
  };
  return all;
}

/// 0, infinities, NaN, what is too large or too small, and values of all sizes.
std::vector<double> arguments() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> result = {0,
                                1,
                                0.5,
                                2,
                                3,
                                infinity,
                                std::nan(""),
                                1e22,
                                1e300,
                                1.7e308,
                                5e-324,
                                1e-310,
                                2.3e-308,
                                1e-300,
                                709.7,
                                710.2,
                                710.5,
                                744.5,
                                1e154,
                                1.4e154,
                                1e200,
                                26.2,
                                27.5,
                                1e15,
                                4503599627370497.5,
                                0.49999999999999994,
                                1.5,
                                2.5,
                                1e5};
  for (int k = 1; k < 20; ++k) result.push_back(k * std::numbers::pi / 4);
  std::minstd_rand random(5);
  for (int i = 0; i < 1500; ++i) {
    const double r = static_cast<double>(random() % 1000003) / 1000003;
    result.push_back(i % 3 == 0 ? r : i % 3 == 1 ? 20 * r : std::pow(10, 600 * (r - 0.5)));
  }
  for (std::size_t i = result.size(); i-- > 0;) result.push_back(-result[i]);
  result.resize((result.size() + 7) / 8 * 8, 1.0);
  return result;
}

/// Units in the last place of the value that a double has there; near the least numbers, which have fewer digits, of
/// one somewhat larger.
double ulps(double value, long double expected) {
  if (std::isnan(value) || std::isnan(expected) || std::isinf(static_cast<double>(expected)) || std::isinf(value))
    return same(value, static_cast<double>(expected)) ? 0 : 1e30;
  const double size = std::max(std::fabs(static_cast<double>(expected)), 4 * std::numeric_limits<double>::min());
  return static_cast<double>(std::fabs(value - expected) /
                             (std::nextafter(size, std::numeric_limits<double>::infinity()) - size));
}

TEST(ExpressionValues, EveryFunctionIsWithinItsBoundEverywhere) {
  const std::vector<double> all = arguments();
  const std::size_t count = all.size();
  Array<double, Host> a(static_cast<Offset>(count)), b(static_cast<Offset>(count)), r(static_cast<Offset>(count));
  for (const Reference& function : references()) {
    const expressions::Kernel& kernel = expressions::kernel(function.op);
    const bool binary = expressions::operands(function.op) == 2;
    double worst = 0, worst_a = 0, worst_b = 0;
    for (std::size_t shift = 0; shift < (binary ? 97u : 1u); ++shift) {
      for (std::size_t i = 0; i < count; ++i) {
        a[static_cast<Offset>(i)] = all[i];
        b[static_cast<Offset>(i)] = all[(i * 31 + shift) % count];
      }
      kernel.loop(count, a.data(), b.data(), b.data(), r.data());
      for (Offset i = 0; i < static_cast<Offset>(count); ++i) {
        const double off = ulps(r[i], function.value(a[i], b[i]));
        EXPECT_LE(ulps(kernel.value(a[i], b[i], 0), function.value(a[i], b[i])), 3.0)
            << int(function.op) << " " << a[i];
        if (off > worst) worst = off, worst_a = a[i], worst_b = b[i];
        if (r[i] == 0 && function.value(a[i], b[i]) == 0) {
          EXPECT_EQ(std::signbit(r[i]), std::signbit(function.value(a[i], b[i]))) << int(function.op) << " " << a[i];
        }
      }
    }
    // SLEEF's bounds, and for the standard library what glibc names.
    const bool sleef = std::string(expressions::vector_library()).starts_with("SLEEF");
    EXPECT_LE(worst, sleef ? (function.op == Op::erfc ? 1.5 : 1.0) + 1e-3 : 3.0)
        << "operation " << int(function.op) << " of " << worst_a << ", " << worst_b;
  }
}

TEST(ExpressionValues, ChoicesAndComparisonsOfSpecialValues) {
  const std::vector<double> all = {
      0.0, -0.0, 1, -1, std::nan(""), 1 / epsilon, std::numeric_limits<double>::infinity()};
  const char* const texts[] = {"x < y",        "x > y",   "x <= y",    "x >= y",      "x == y",    "x != y",
                               "x && y",       "x || y",  "x ? y : z", "if(x, y, z)", "min(x, y)", "max(x, y)",
                               "min(x, y, z)", "sign(x)", "sum(x)",    "sum(x, y)",   "mod(x, y)", "x^0",
                               "y^1",          "1/x",     "x^-1",      "-x",          "0*x"};
  for (const char* text : texts) {
    Oracle oracle(text);
    std::vector<double> points;
    for (double x : all)
      for (double y : all) points.insert(points.end(), {x, y, 3});
    const std::vector<double> values = values_of(text, points, 0);
    for (std::size_t p = 0; p < values.size(); ++p) {
      const double expected = oracle(&points[3 * p], 0);
      EXPECT_TRUE(same(values[p], expected) &&
                  (std::isnan(expected) || std::signbit(values[p]) == std::signbit(expected)))
          << text << " is " << values[p] << ", not " << expected << " at " << points[3 * p] << ", "
          << points[3 * p + 1];
    }
  }
}

/// muParser reads 19999 characters; within them nothing is too deep.
TEST(ExpressionValues, DepthIsNoLimit) {
  const auto nested = [](const std::string& open, const std::string& close, int depth) {
    std::string text = "x";
    std::string left, right;
    for (int i = 0; i < depth; ++i) left += open, right += close;
    return left + text + right;
  };
  const double point[3] = {0.5, 0, 0};
  EXPECT_EQ(Evaluator(Expression(nested("(", ")", 9999)))(point), 0.5);
  EXPECT_EQ(Evaluator(Expression(nested("-(", ")", 6000)))(point), 0.5);
  EXPECT_EQ(Evaluator(Expression(nested("abs(", ")", 3000)))(point), 0.5);
  EXPECT_EQ(Evaluator(Expression(nested("0?1:", "", 4000)))(point), 0.5);
  EXPECT_EQ(Evaluator(Expression(nested("1+", "", 9000)))(point), 9000.5);
  const Expression deep(nested("sin(", ")", 3900));
  EXPECT_GT(Evaluator(deep)(point), 0);
  EXPECT_GT(Evaluator(derivative(deep, Variable::x))(point), 0);
  EXPECT_NO_THROW(Expression("x" + std::string(19998, ' ')));
  EXPECT_THROW(Expression("x" + std::string(19999, ' ')), Error);
  for (int depth : {10000, 30000}) {
    try {
      Expression{nested("(", ")", depth)};
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find("longer than 19999 characters"), std::string::npos)
          << std::string(error.what()).substr(20000);
    }
  }
}

/// A value must not depend on what is computed beside it.
TEST(ExpressionValues, PlaceInABlockAndThreadsDoNotMatter) {
  const Expression expression("sin(7*x)*exp(y) + if(x < y, erf(z), x^3.5) + atan2(x, y)*exp(-t)");
  auto points = random_points(40000, 3);
  for (double& p : points) p = std::fabs(p);
  std::vector<double> expected(40000), values(40000);
  Evaluator evaluator(expression);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = evaluator(&points[3 * i], 0.3);
  for (int threads : {1, 2, 3, 5}) {
    evaluator.evaluate(points.data(), values.size(), 0.3, values.data(), threads);
    EXPECT_EQ(values, expected) << threads;
  }
  for (std::size_t first : {1u, 7u, 250u})
    for (std::size_t count : {1u, 3u, 9u, 255u, 257u}) {
      evaluator.evaluate(&points[3 * first], count, 0.3, values.data());
      EXPECT_TRUE(std::equal(values.begin(), values.begin() + count, expected.begin() + first));
    }
}

TEST(ExpressionValues, NoPointsAreNoValues) {
  Evaluator evaluator(Expression("t*x"));
  evaluator.at(nullptr, 0, 0.5, nullptr);
  evaluator.evaluate(nullptr, 0, 0.5, nullptr);
  const double point[3] = {4, 0, 0};
  EXPECT_EQ(evaluator(point, 0.5), 2);
  EXPECT_EQ(evaluator(point, 0.25), 1);  // not the product of the last time
}

TEST(ExpressionValues, OneExpressionIsSharedByThreads) {
  const Expression expression("cos(3*x)*y + sqrt(1 + z^2)");
  const auto points = random_points(3000, 8);
  std::vector<double> expected(3000);
  Evaluator(expression).evaluate(points.data(), 3000, 0, expected.data());
  std::vector<std::vector<double>> values(4, std::vector<double>(3000));
  std::vector<std::thread> threads;
  for (auto& own : values)
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 20; ++repeat) Evaluator(expression).evaluate(points.data(), 3000, 0, own.data());
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : values) EXPECT_EQ(own, expected);
}

TEST(ExpressionValues, WhatIsTheSameIsComputedOnce) {
  const auto count = [](const std::string& text) {
    const expressions::Root root = expressions::parse(text, {});
    return expressions::Program(root.tree, root.node).instructions();
  };
  EXPECT_EQ(count("sin(x)^2 + cos(y)*sin(x)"), 5u);
  EXPECT_EQ(count("(x+y)*(x+y)"), 2u);
  EXPECT_EQ(count("2*pi*3"), 0u);
  EXPECT_EQ(count("if(1 < 2, x, sin(y))"), 0u);
}

}  // namespace
}  // namespace tessera::deck::testing
