// Derivatives of expressions against differences of their values.
#include <gtest/gtest.h>

#include "deck/expression.hpp"
#include "expression_oracle.hpp"

namespace tessera::deck::testing {
namespace {

/// df/dx by differences of fourth order; NaN where those of two steps differ, as at kinks, and where f is too large for
/// a difference to show the slope.
double difference(Oracle& f, std::array<double, 3> at, double t) {
  double largest = 0;
  const auto quotient = [&](double h) {
    const auto value = [&](double shift) {
      const double point[3] = {at[0] + shift, at[1], at[2]};
      const double value = f(point, t);
      largest = std::max(largest, std::fabs(value));
      return value;
    };
    return (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h);
  };
  const double coarse = quotient(1e-3), fine = quotient(4e-4);
  const bool agree = std::fabs(coarse - fine) <= 1e-6 * (1 + std::fabs(fine));
  return agree && largest < 1e6 ? fine : std::nan("");
}

/// Compares at random points; returns how many could be.
int compare(const std::string& text, unsigned seed) {
  auto points = random_points(4, seed);
  for (double& p : points) p += 0.0123;  // not where the samples have their kinks
  Oracle oracle(text);
  Expression slope;
  try {
    slope = derivative(Expression(text), Variable::x);
  } catch (const Error&) {
    return 0;  // a constant without a finite value
  }
  Evaluator evaluator(slope);
  int compared = 0;
  for (std::size_t p = 0; p < 4; ++p) {
    const double expected = difference(oracle, {points[3 * p], points[3 * p + 1], points[3 * p + 2]}, 0.7);
    const double value = evaluator(&points[3 * p], 0.7);
    if (std::isnan(expected) || !std::isfinite(value)) continue;
    EXPECT_NEAR(value, expected, 1e-5 * (1 + std::fabs(expected)))
        << text << "\n"
        << slope.text() << "\n at " << points[3 * p] << ", " << points[3 * p + 1] << ", " << points[3 * p + 2];
    ++compared;
  }
  return compared;
}

TEST(Derivative, RandomExpressions) {
  RandomExpressions random(11, true);
  int compared = 0;
  for (unsigned i = 0; i < 3000; ++i) compared += compare(random.next().text, i + 1);
  EXPECT_GT(compared, 7000);
}

TEST(Derivative, EveryFunction) {
  for (const expressions::Function& function : expressions::functions()) {
    const std::string name(function.name);
    const bool positive = name.starts_with("log") || name == "ln" || name == "sqrt" || name == "pow";
    const bool small = name == "asin" || name == "acos" || name == "atanh";
    const std::string inner = positive          ? "(1.6+x*y)"
                              : small           ? "(0.3*x+0.1*y)"
                              : name == "acosh" ? "(3+x*y)"
                                                : "(x*y-0.7*x)";
    std::string text = name + "(" + inner;
    if (function.arguments == 2 || function.arguments == expressions::any_number) text += ", 1.3 + 0.2*x^2 + z";
    if (function.arguments == 3) text = "if(x < y, x^2*y, cos(x)";
    int compared = 0;
    for (unsigned seed = 1; seed <= 8; ++seed) compared += compare(text + ")", seed);
    EXPECT_GT(compared, 10) << text;
  }
}

TEST(Derivative, ReadsAsOneWritesIt) {
  const std::pair<const char*, const char*> table[] = {
      {"sin(pi*x)*sin(pi*y)", "pi*cos(pi*x)*sin(pi*y)"},
      {"exp(-(x^2+y^2))", "-2*exp(-(x^2 + y^2))*x"},
      {"1 + x^2", "2*x"},
      {"x^3*y", "3*x^2*y"},
      {"sqrt(x^2+y^2)", "x/sqrt(x^2 + y^2)"},
      {"1/(1+x)", "-1/(1 + x)^2"},
      {"log(x)", "1/x"},
      {"x*y - z", "y"},
      {"2*x + y^2", "2"},
      {"y^2 + t", "0"},
      {"abs(x - 0.5)", "sign(x - 0.5)"},
      {"if(x < 0.5, x^2, 1 - x)", "x < 0.5 ? 2*x : -1"},
      {"min(x, y)", "y < x ? 0 : 1"},
      {"cos(2*pi*x)", "-2*pi*sin(2*pi*x)"},
      {"x^y", "y*x^(y - 1)"},
      {"(x - 1)*(-x)", "-x + (1 - x)"},
  };
  for (const auto& [text, expected] : table)
    EXPECT_EQ(derivative(Expression(text), Variable::x).text(), expected) << text;
  EXPECT_EQ(derivative(Expression("exp(-2*t)*x"), Variable::t).text(), "-2*exp(-2*t)*x");
}

TEST(Derivative, TextParsesToTheSameValues) {
  RandomExpressions random(5);
  for (unsigned i = 0; i < 2000; ++i) {
    const std::string text = random.next().text;
    Expression slope, again;
    try {
      slope = derivative(Expression(text), Variable::y);
      again = Expression(slope.text());
    } catch (const Error& error) {  // a constant without a finite value
      EXPECT_TRUE(std::string(error.what()).ends_with("inf") || std::string(error.what()).ends_with("nan"))
          << text << "\n"
          << error.what();
      continue;
    }
    const auto points = random_points(4, i + 1);
    Evaluator f(slope), g(again);
    for (std::size_t p = 0; p < 4; ++p) {
      const double a = f(&points[3 * p], 0.7), b = g(&points[3 * p], 0.7);
      ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << text << "\n" << slope.text() << "\n" << a << " " << b;
    }
  }
}

TEST(Derivative, AtKinksItIsThatOfOneSide) {
  const double origin[3] = {0, 0, 0};
  const auto at_origin = [&](const char* text) { return Evaluator(derivative(Expression(text), Variable::x))(origin); };
  EXPECT_EQ(at_origin("abs(x)"), 0);
  EXPECT_EQ(at_origin("sign(x)"), 0);
  EXPECT_EQ(at_origin("floor(x)"), 0);
  EXPECT_EQ(at_origin("min(x, 2*x)"), 1);
  EXPECT_EQ(at_origin("max(x, 2*x)"), 1);
  EXPECT_EQ(at_origin("x < 0 ? x : 3*x"), 3);
  EXPECT_EQ(at_origin("mod(x, 1)"), 1);
  EXPECT_EQ(at_origin("sqrt(x)"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(at_origin("hypot(x, y)")));
}

TEST(Derivative, IsZeroWhereAGuardHolds) {
  const double left[3] = {-1, 2, 0}, right[3] = {4, 2, 0};
  const auto slope = [](const char* text) { return derivative(Expression(text), Variable::x); };
  for (const char* text :
       {"sqrt(max(x, 0))", "0.5*sqrt(max(x, 0))*2", "-(-sqrt(max(x, 0)))", "if(x > 0, sqrt(x), 0)"}) {
    EXPECT_EQ(Evaluator(slope(text))(left), 0) << text << ": " << slope(text).text();
    EXPECT_DOUBLE_EQ(Evaluator(slope(text))(right), 0.25) << text << ": " << slope(text).text();
  }
  EXPECT_EQ(Evaluator(slope("max(x, 0)^0.5/y"))(left), 0);
  EXPECT_DOUBLE_EQ(Evaluator(slope("max(x, 0)^0.5/y"))(right), 0.125);
  EXPECT_EQ(Evaluator(slope("log(min(max(x, 1), 3))"))(right), 0);
}

TEST(Derivative, KnowsItsVariablesAndItsPlace) {
  const Position where{"deck.toml", 4, 10, "u = \"x*z + t\"", 7};
  const Expression f("x*z + t", where);
  const Expression along_x = derivative(f, Variable::x), along_t = derivative(f, Variable::t);
  EXPECT_EQ(along_x.text(), "z");
  EXPECT_FALSE(along_x.depends_on_time());
  EXPECT_THROW(along_x.require_axes(2), Error);
  EXPECT_EQ(along_x.where()->line, 4);
  EXPECT_TRUE(along_t.is_constant());
  EXPECT_EQ(along_t.constant(), 1);
  EXPECT_EQ(derivative(Expression(3.0), Variable::x).constant(), 0);
}

}  // namespace
}  // namespace tessera::deck::testing
