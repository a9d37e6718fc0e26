#include "assembly/space/quadrature.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"

namespace {

using namespace tessera;
using namespace tessera::assembly;
using mesh::Shape;

double line(int power) { return power % 2 ? 0 : 2.0 / (power + 1); }
double factorial(int n) { return std::tgamma(n + 1.0); }

/// int x^a y^b z^c over the reference cell.
double exact(Shape shape, int a, int b, int c) {
  switch (shape) {
    case Shape::interval: return line(a);
    case Shape::quad: return line(a) * line(b);
    case Shape::hex: return line(a) * line(b) * line(c);
    case Shape::triangle: return factorial(a) * factorial(b) / factorial(a + b + 2);
    case Shape::tet: return factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
    case Shape::prism: return factorial(a) * factorial(b) / factorial(a + b + 2) * line(c);
    case Shape::point: return 1;
  }
  return 0;
}

bool covered(Shape shape, int degree, int a, int b, int c) {
  if (shape == Shape::triangle || shape == Shape::tet) return a + b + c <= degree;
  if (shape == Shape::prism) return a + b <= degree && c <= degree;
  return a <= degree && b <= degree && c <= degree;
}

class Rules : public ::testing::TestWithParam<Shape> {};

TEST_P(Rules, IntegrateEveryMonomialUpToTheirDegree) {
  const Shape shape = GetParam();
  const int dim = mesh::dimension(shape);
  for (int degree = 0; degree <= 14; ++degree) {
    const Quadrature& rule = quadrature(shape, degree);
    ASSERT_EQ(rule.points.size(), std::size_t(rule.size()) * dim);
    for (int a = 0; a <= degree; ++a)
      for (int b = 0; b <= (dim > 1 ? degree : 0); ++b)
        for (int c = 0; c <= (dim > 2 ? degree : 0); ++c) {
          if (!covered(shape, degree, a, b, c)) continue;
          double sum = 0;
          for (int q = 0; q < rule.size(); ++q) {
            const double* x = &rule.points[std::size_t(q) * dim];
            sum += rule.weights[q] * std::pow(x[0], a) * (dim > 1 ? std::pow(x[1], b) : 1) *
                   (dim > 2 ? std::pow(x[2], c) : 1);
          }
          ASSERT_NEAR(sum, exact(shape, a, b, c), 2e-14)
              << "degree " << degree << ": x^" << a << " y^" << b << " z^" << c;
        }
  }
}

TEST_P(Rules, WeightsArePositiveAndPointsInside) {
  const Shape shape = GetParam();
  for (int degree = 0; degree <= 40; degree += 1) {
    const Quadrature& rule = quadrature(shape, degree);
    double sum = 0;
    for (int q = 0; q < rule.size(); ++q) {
      EXPECT_GT(rule.weights[q], 0);
      sum += rule.weights[q];
      for (int axis = 0; axis < rule.dim; ++axis) {
        EXPECT_LT(rule.points[q * rule.dim + axis], 1);
        EXPECT_GT(rule.points[q * rule.dim + axis], -1);
      }
    }
    EXPECT_NEAR(sum, exact(shape, 0, 0, 0), 1e-13) << "degree " << degree;
  }
}

INSTANTIATE_TEST_SUITE_P(AllShapes, Rules,
                         ::testing::Values(Shape::interval, Shape::triangle, Shape::quad, Shape::tet, Shape::hex,
                                           Shape::prism),
                         [](const auto& info) { return std::string(mesh::name(info.param)); });

TEST(Quadrature, OfAPointIsItsValue) {
  const Quadrature& rule = quadrature(Shape::point, 3);
  EXPECT_EQ(rule.size(), 1);
  EXPECT_EQ(rule.weights[0], 1);
}

TEST(Quadrature, RefusesNegativeAndHugeDegrees) {
  EXPECT_THROW(quadrature(Shape::tet, -1), Error);
  EXPECT_THROW(quadrature(Shape::tet, max_quadrature_degree + 1), Error);
}

}  // namespace
