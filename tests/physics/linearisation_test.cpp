// The linearisation of coefficients as expressions against differences of its residual.
#include "physics/scalar/linearisation.hpp"

#include <gtest/gtest.h>

#include <random>

#include "forms/tensor.hpp"

namespace {

using namespace tessera;
using namespace tessera::physics;
using deck::Expression;

Expression of(const std::string& text) { return Expression(text, {}, deck::Knows::gradient); }

/// A place and a state there.
struct At {
  std::array<double, 3> x;
  double u;
  std::array<double, 3> gradient;
};

double value(const Expression& f, const At& at) {
  double result = 0;
  deck::Evaluator(f).evaluate({at.x.data(), &at.u, at.gradient.data()}, 1, 0.3, &result);
  return result;
}

enum Member { gg, gv, vg, vv, flux, reaction, k };

double entry(const assembly::ExpressionData& data, Member member, std::size_t component, const At& at) {
  const auto m = static_cast<std::size_t>(member);
  return data.members[m].empty() ? 0 : value(data.members[m][0].at(component), at);
}

void expect_derivatives(const scalar::MaterialParams& material, int dim, const char* name) {
  const std::vector<scalar::MaterialParams> materials{material};
  const assembly::ExpressionData tangent = scalar::linearised_expressions(materials, dim, true),
                                 residual = scalar::linearised_expressions(materials, dim, false);
  EXPECT_TRUE(residual.members[gg].empty() && residual.members[vv].empty());
  std::minstd_rand engine(1);
  std::uniform_real_distribution<double> uniform(0.2, 1);
  for (int sample = 0; sample < 20; ++sample) {
    At at{{uniform(engine), uniform(engine), uniform(engine)}, uniform(engine), {}};
    for (int d = 0; d < dim; ++d) at.gradient[static_cast<std::size_t>(d)] = uniform(engine);
    constexpr double h = 1e-5;
    /// Minus the derivative of the load, after u or along an axis.
    const auto slope = [&](Member member, std::size_t component, int axis) {
      At more = at, less = at;
      (axis < 0 ? more.u : more.gradient[static_cast<std::size_t>(axis)]) += h;
      (axis < 0 ? less.u : less.gradient[static_cast<std::size_t>(axis)]) -= h;
      return -(entry(residual, member, component, more) - entry(residual, member, component, less)) / (2 * h);
    };
    const std::size_t of_gg = tangent.members[gg][0].size(), axes = static_cast<std::size_t>(dim);
    for (std::size_t d = 0; d < axes; ++d) {
      EXPECT_EQ(entry(tangent, flux, d, at), entry(residual, flux, d, at));
      EXPECT_NEAR(entry(tangent, gv, d, at), slope(flux, d, -1), 1e-7) << name << d;
      EXPECT_NEAR(entry(tangent, vg, d, at), slope(reaction, 0, static_cast<int>(d)), 1e-7) << name << d;
      for (std::size_t e = 0; e < axes; ++e) {
        const double there = of_gg == 1             ? (d == e ? entry(tangent, gg, 0, at) : 0)
                             : of_gg == axes * axes ? entry(tangent, gg, d * axes + e, at)
                                                    : entry(tangent, gg,
                                                            static_cast<std::size_t>(forms::packed_symmetric(
                                                                static_cast<int>(d), static_cast<int>(e), dim)),
                                                            at);
        EXPECT_NEAR(there, slope(flux, d, static_cast<int>(e)), 1e-7) << name << d << e;
      }
    }
    EXPECT_NEAR(entry(tangent, vv, 0, at), slope(reaction, 0, -1), 1e-7) << name;
    EXPECT_EQ(entry(tangent, reaction, 0, at), entry(residual, reaction, 0, at));
  }
}

TEST(LinearisedExpressions, AreTheDerivativesOfTheirResidual) {
  for (const int dim : {1, 2, 3}) {
    expect_derivatives({{}, {of("1 + u^2*x")}, of("0"), of("sin(u) + t"), {}}, dim, "of u");
    expect_derivatives({{}, {of("2")}, of("u"), of("ux*u - 3*ux"), {}}, dim, "carried");
    expect_derivatives({{}, {of("1 + ux^2 + u")}, of("ux"), of("x"), {}}, dim, "of one slope");
  }
  expect_derivatives({{}, {of("1 + ux^2 + uy^2")}, of("1"), of("exp(-u)"), {}}, 2, "of the gradient");
  expect_derivatives({{}, {of("2 + u"), of("0.1*u"), of("3")}, of("1"), of("0"), {}}, 2, "a tensor of u");
  expect_derivatives({{}, {of("2 + ux^2"), of("0.1*u"), of("3 + uy")}, of("1"), of("0"), {}}, 2,
                     "a tensor of the gradient");
}

TEST(LinearisedExpressions, AskForAPositiveConductivity) {
  const std::vector<scalar::MaterialParams> varies{{{}, {of("u")}, of("0"), of("1"), {}}},
      constant{{{}, {of("-2")}, of("u"), of("1"), {}}};
  const assembly::ExpressionData data = scalar::linearised_expressions(varies, 2, true);
  ASSERT_EQ(data.definite.coefficients, std::vector<std::size_t>{k});
  const double negative = -1, place[3] = {};
  EXPECT_THROW(data.definite.refuse(k, 0, &negative, place), Error);
  EXPECT_THROW(scalar::linearised_expressions(constant, 2, true), Error);
}

}  // namespace
