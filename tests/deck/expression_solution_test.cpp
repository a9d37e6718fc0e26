// Expressions of a solution and its gradient, and expressions made of others.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "deck/expression.hpp"

namespace tessera::deck::testing {
namespace {

double at(const Expression& f, double x = 0.3, double y = 0.7, double u = 2, double ux = 3, double uy = 5,
          double uz = 7) {
  const double xyz[] = {x, y, 0.2}, gradient[] = {ux, uy, uz};
  double value = 0;
  Evaluator(f).at({xyz, &u, gradient}, 1, 0, &value);
  return value;
}

TEST(SolutionExpression, KnowsWhatItsPlaceKnows) {
  EXPECT_THROW(Expression("u"), Error);
  EXPECT_THROW(Expression("u + ux", {}, Knows::solution), Error);
  EXPECT_NO_THROW(Expression("u", {}, Knows::solution));
  const Expression f("1 + u^2 + ux*uy", {}, Knows::gradient);
  EXPECT_TRUE(f.depends_on_solution());
  EXPECT_TRUE(f.depends_on_gradient());
  EXPECT_TRUE(f.depends_on(Variable::ux));
  EXPECT_FALSE(f.depends_on(Variable::uz));
  EXPECT_FALSE(f.is_constant());
  EXPECT_DOUBLE_EQ(at(f), 1 + 4 + 15);
  EXPECT_FALSE(Expression("x").depends_on_solution());
}

TEST(SolutionExpression, SaysWhereAVariableIsUnknown) {
  try {
    Expression("2*ux", Position{"deck.toml", 4, 10, "k = \"2*ux\"", 4}, Knows::solution);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where()->column, 12);
    EXPECT_NE(std::string(error.what()).find("unknown variable 'ux'"), std::string::npos);
    EXPECT_NE(error.help().find("variables are x, y, z, t, u"), std::string::npos);
  }
}

TEST(SolutionExpression, HasNoUzInAPlane) {
  const Expression f("ux + uz", Position{"deck.toml", 1, 5, "k = \"ux + uz\"", 7}, Knows::gradient);
  EXPECT_NO_THROW(f.require_axes(3));
  try {
    f.require_axes(2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where()->column, 10);
    EXPECT_EQ(error.where()->length, 2);
  }
}

TEST(SolutionExpression, HasDerivativesAfterTheSolution) {
  const Expression f("u^3*ux + x*u", {}, Knows::gradient);
  EXPECT_DOUBLE_EQ(at(derivative(f, Variable::u)), 3 * 4 * 3 + 0.3);
  EXPECT_DOUBLE_EQ(at(derivative(f, Variable::ux)), 8);
  EXPECT_EQ(derivative(f, Variable::uz).constant(), 0);
  EXPECT_FALSE(derivative(f, Variable::ux).depends_on_gradient());
}

TEST(SolutionExpression, NamesTheStateWhereItIsNotFinite) {
  const std::vector<double> xyz(300, 0.5), gradient(300, 1.0);
  std::vector<double> u(100, 1.0), values(100);
  u[70] = 0;
  try {
    Evaluator(Expression("1/u", {}, Knows::solution))
        .evaluate({xyz.data(), u.data(), gradient.data()}, 100, 0, values.data(), 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("'1/u' is inf at (x, y, z) = (0.5, 0.5, 0.5), u = 0"), std::string::npos)
        << error.what();
  }
}

TEST(SolutionExpression, IsNotEvaluatedWithoutASolution) {
  const double xyz[3] = {};
  double value = 0;
  EXPECT_THROW(Evaluator(Expression("u", {}, Knows::solution)).at(xyz, 1, 0, &value), Error);
  EXPECT_THROW(Evaluator(Expression("ux", {}, Knows::gradient)).evaluate(xyz, 1, 0, &value), Error);
}

TEST(ExpressionAlgebra, SubstitutesAllAtOnce) {
  const Expression f("x*y + sin(x) + z", {}, Knows::gradient);
  const std::vector<Replacement> swapped = {{Variable::x, Expression("y")}, {Variable::y, Expression("x + 1")}};
  const Expression g = substitute(f, swapped);
  EXPECT_NEAR(at(g), 0.7 * 1.3 + std::sin(0.7) + 0.2, 1e-15);
  EXPECT_NEAR(at(Expression(g.text())), at(g), 1e-15) << g.text();
  const std::vector<Replacement> numbers = {
      {Variable::x, Expression(2.0)}, {Variable::y, Expression(3.0)}, {Variable::z, Expression(0.0)}};
  EXPECT_TRUE(substitute(f, numbers).is_constant());
  EXPECT_DOUBLE_EQ(substitute(f, numbers).constant(), 6 + std::sin(2.0));
}

TEST(ExpressionAlgebra, AddsAndMultiplies) {
  const Expression a("x + y"), b("x - y");
  EXPECT_NEAR(at(a * b), 0.09 - 0.49, 1e-15);
  EXPECT_NEAR(at(a + b), 0.6, 1e-15);
  EXPECT_EQ((a * b).text(), "(x + y)*(x - y)");
  EXPECT_DOUBLE_EQ((Expression(2.0) * Expression(3.0)).constant(), 6);
  // Shared parts are computed once, and text that would be too long says how it was made.
  Expression power("1 + x/100000");
  for (int i = 0; i < 14; ++i) power = power * power;
  EXPECT_NEAR(at(power), std::pow(1.000003, 16384.0), 1e-10);
}

}  // namespace
}  // namespace tessera::deck::testing
