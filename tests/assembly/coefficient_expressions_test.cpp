// A system of coefficients as expressions is that of their values at the quadrature points.
#include <gtest/gtest.h>

#include "assembly/matrix_free/operator.hpp"
#include "assembly/support.hpp"
#include "base/error.hpp"

namespace tessera::testing {
namespace {

using assembly::ExpressionData;
using assembly::RegionExpressions;
using deck::Expression;

template <class Exec>
class CoefficientExpressions : public ::testing::Test {};
TYPED_TEST_SUITE(CoefficientExpressions, Backends);

/// Values at the points of the assembler, as a run without expressions has them.
template <class Exec>
forms::Coefficient at_points(System<Exec>& system, const RegionExpressions& of, const std::vector<Index>& region,
                             double t) {
  forms::Coefficient result{static_cast<int>(of.front().size()), true, {}};
  const std::vector<double> points = system.assembler.quadrature_points();
  for (std::size_t i = 0; i < points.size() / 3; ++i) {
    const std::size_t cell = i / static_cast<std::size_t>(system.assembler.points_per_cell(0));
    const std::size_t r = region.empty() ? 0 : static_cast<std::size_t>(region[cell]);
    for (const Expression& one : of[r]) result.values.push_back(deck::Evaluator(one)(&points[3 * i], t));
  }
  return result;
}

template <class System>
void expect_same(System& system, const std::vector<double>& A, const std::vector<double>& b, const std::string& what) {
  const std::vector<double> values = to_vector(system.A.values), load = to_vector(system.b);
  double size = 0;
  for (const double a : A) size = std::max(size, std::fabs(a));
  for (std::size_t i = 0; i < A.size(); ++i) ASSERT_NEAR(values[i], A[i], 1e-13 * size) << what;
  for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(load[i], b[i], 1e-13) << what;
}

TYPED_TEST(CoefficientExpressions, GiveTheSystemOfTheirValues) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex"})
    for (int order = 1; order <= 2; ++order)
      for (const int regions : {1, 2})
        for (const bool tensor : {false, true}) {
          mesh::Mesh mesh = box(shape, 3);
          deform(mesh);
          System<TypeParam> system(mesh, order);
          const std::string what = shape + std::to_string(order) + (tensor ? " tensor" : "") + std::to_string(regions);
          std::vector<Index> region;
          for (Index cell = 0; regions > 1 && cell < mesh.cells(); ++cell) region.push_back(cell % 3 == 0);
          const int full = mesh.dim * (mesh.dim + 1) / 2;
          ExpressionData expressions;
          expressions.members.resize(3);
          for (int r = 0; r < 2; ++r) {
            std::vector<Expression> k(tensor ? static_cast<std::size_t>(full) : 1, Expression("0.1*x"));
            k.front() = Expression(r == 0 ? "2 + x*y + t" : "3");
            if (tensor) k.back() = Expression("4 - x");
            expressions.members[0].push_back(k);
            expressions.members[1].push_back({Expression(r == 0 ? "0.5" : "0.25")});  // constant on regions
            expressions.members[2].push_back({Expression(r == 0 ? "sin(x + z)*t" : "-1")});
          }
          for (const double t : {0.5, 2.0}) {
            forms::DiffusionData data{.region = region,
                                      .k = at_points(system, expressions.members[0], region, t),
                                      .c = at_points(system, expressions.members[1], region, t),
                                      .f = at_points(system, expressions.members[2], region, t)};
            system.assemble(data);
            const std::vector<double> A = to_vector(system.A.values), b = to_vector(system.b);
            expressions.t = t;
            system.assembler.set_data({.region = region, .k = {}, .c = {}, .f = {}}, expressions);
            system.assembler.refill(system.A, system.b.view());
            expect_same(system, A, b, what);
            system.assembler.set_time(7);
            system.assembler.set_time(t);
            system.assembler.refill(system.A, system.b.view());
            expect_same(system, A, b, what + " again");
          }
        }
}

TYPED_TEST(CoefficientExpressions, GiveTheOperatorWithoutAMatrixOfTheirValues) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  for (const char* shape : {"quad", "hex", "tet"})
    for (int order = 1; order <= 3; ++order) {
      mesh::Mesh mesh = box(shape, 3);
      deform(mesh);
      System<TypeParam> system(mesh, order);
      std::vector<Index> region;
      for (Index cell = 0; cell < mesh.cells(); ++cell) region.push_back(cell % 2);
      const ExpressionData expressions{
          {{{Expression("2 + x*y + t")}, {Expression("3")}}, {}, {{Expression("sin(x + z)*t")}, {Expression("1")}}},
          0.5};
      forms::DiffusionData data{.region = region, .k = {}, .c = {1, false, {0.5, 0.25}}, .f = {}};
      assembly::MatrixFree<TypeParam, forms::Diffusion> by_expressions(system.exec, system.mesh, system.map),
          by_values(system.exec, system.mesh, system.map);
      Array<double, Space> b(system.map.dofs), expected_b(system.map.dofs), x(system.map.dofs), y(system.map.dofs),
          expected_y(system.map.dofs);
      by_expressions.assemble(system.exec, data, {}, b.view(), expressions);
      data.k = at_points(system, expressions.members[0], region, 0.5);
      data.f = at_points(system, expressions.members[2], region, 0.5);
      by_values.assemble(system.exec, data, {}, expected_b.view());
      std::vector<double> wave;
      for (Index i = 0; i < system.map.dofs; ++i) wave.push_back(std::sin(7.3 * i));
      x = to_space<Space>(wave);
      by_expressions.apply(system.exec, std::as_const(x).view(), y.view());
      by_values.apply(system.exec, std::as_const(x).view(), expected_y.view());
      const auto found = to_vector(y), expected = to_vector(expected_y);
      const auto found_b = to_vector(b), all_b = to_vector(expected_b);
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_NEAR(found[i], expected[i], 1e-12) << shape << order;
        ASSERT_NEAR(found_b[i], all_b[i], 1e-13) << shape << order;
      }
    }
}

/// What is not given as an expression is the data's; and a set of data without expressions forgets those before.
TYPED_TEST(CoefficientExpressions, StandBesideValues) {
  TESSERA_REQUIRE(TypeParam);
  System<TypeParam> system(box("tet", 3), 2);
  forms::DiffusionData data{.region = {}, .k = constant(2), .c = constant(0.5), .f = constant(3)};
  system.assemble(data);
  const std::vector<double> A = to_vector(system.A.values), b = to_vector(system.b);
  ExpressionData expressions;
  expressions.members = {{}, {}, {{Expression("3 + 0*x")}}};
  system.assembler.set_data({.region = {}, .k = constant(2), .c = constant(0.5), .f = constant(9)}, expressions);
  system.assembler.refill(system.A, system.b.view());
  expect_same(system, A, b, "source");
  system.assemble(data);
  system.assembler.set_time(3);
  system.assembler.refill(system.A, system.b.view());
  expect_same(system, A, b, "values again");
}

/// Whoever asks that a coefficient is positive is told where it is not, and by what region's expression.
TYPED_TEST(CoefficientExpressions, ThatAreToBePositiveArePositive) {
  TESSERA_REQUIRE(TypeParam);
  struct Found {
    std::size_t member;
    Index region;
    std::vector<double> values, xyz;
  };
  for (const bool tensor : {false, true}) {
    System<TypeParam> system(box("triangle", 6), 2);
    std::vector<Index> region;
    for (Index cell = 0; cell < system.mesh.cells(); ++cell) region.push_back(cell % 2);
    ExpressionData expressions;
    const Expression one("1 + x"), falls("0.9 - x"), off("3*x");
    expressions.members = {
        tensor ? RegionExpressions{{one, Expression("0"), one}, {one, off, one}} : RegionExpressions{{one}, {falls}},
        {},
        {{Expression("-x")}, {Expression("-x")}}};
    const std::size_t components = tensor ? 3 : 1;
    expressions.definite.coefficients = {0};
    expressions.definite.refuse = [&](std::size_t member, Index of, const double* values, const double* xyz) {
      throw Found{member, of, {values, values + components}, {xyz, xyz + 3}};
    };
    const forms::DiffusionData data{.region = region, .k = {}, .c = {}, .f = {}};
    // The first point in the order of cells.
    const std::vector<double> points = system.assembler.quadrature_points();
    const int per_cell = system.assembler.points_per_cell(0);
    std::size_t first = 0;
    while (region[first / static_cast<std::size_t>(per_cell)] == 0 ||
           (tensor ? 1 + points[3 * first] > 3 * points[3 * first] : points[3 * first] < 0.9))
      ASSERT_LT(++first, points.size() / 3);
    try {
      system.assembler.set_data(data, expressions);
      FAIL();
    } catch (const Found& found) {
      EXPECT_EQ(found.member, 0u);
      EXPECT_EQ(found.region, 1);
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(found.xyz[d], points[3 * first + d], 1e-14);
      EXPECT_NEAR(found.values.back(), tensor ? 1 + found.xyz[0] : 0.9 - found.xyz[0], 1e-14);
    }
    assembly::MatrixFree<TypeParam, forms::Diffusion> by_points(system.exec, system.mesh, system.map);
    EXPECT_THROW(by_points.assemble(system.exec, data, {}, system.b.view(), expressions), Found);
    expressions.members[0][1] = expressions.members[0][0];
    EXPECT_NO_THROW(system.assembler.set_data(data, expressions));  // the source may be below 0
  }
}

TYPED_TEST(CoefficientExpressions, ThatDoNotFitAreRefused) {
  TESSERA_REQUIRE(TypeParam);
  System<TypeParam> system(box("triangle", 2), 1);
  const auto set = [&](std::vector<RegionExpressions> members) {
    system.assembler.set_data({.region = {}, .k = constant(1), .c = {}, .f = {}}, {std::move(members), 0});
  };
  EXPECT_THROW(set({{{Expression("x"), Expression("y")}}}), Error);  // no tensor
  EXPECT_THROW(set({{{Expression("x")}, {Expression("1"), Expression("2"), Expression("3")}}}), Error);
  EXPECT_THROW(set({{}, {}, {{Expression("log(x - 2)")}}}), Error);  // not finite
}

}  // namespace
}  // namespace tessera::testing
