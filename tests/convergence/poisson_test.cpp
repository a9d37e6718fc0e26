// Observed orders of -lap u = f with u = sin sin (sin): k+1 in L2 and k in H1 for every shape and order, on every
// backend.
#include <gtest/gtest.h>

#include <cmath>

#include "support/backends.hpp"
#include "support/orders.hpp"
#include "support/poisson.hpp"

namespace tessera::testing {
namespace {

struct Sine {
  std::string u, f;
  std::vector<std::string> gradient;
};

Sine sine(int dim) {
  if (dim == 1) return {"sin(pi*x)", "pi^2*sin(pi*x)", {"pi*cos(pi*x)"}};
  if (dim == 2)
    return {"sin(pi*x)*sin(pi*y)", "2*pi^2*sin(pi*x)*sin(pi*y)", {"pi*cos(pi*x)*sin(pi*y)", "pi*sin(pi*x)*cos(pi*y)"}};
  return {"sin(pi*x)*sin(pi*y)*sin(pi*z)",
          "3*pi^2*sin(pi*x)*sin(pi*y)*sin(pi*z)",
          {"pi*cos(pi*x)*sin(pi*y)*sin(pi*z)", "pi*sin(pi*x)*cos(pi*y)*sin(pi*z)", "pi*sin(pi*x)*sin(pi*y)*cos(pi*z)"}};
}

template <class Exec>
class PoissonConvergence : public ::testing::Test {};
TYPED_TEST_SUITE(PoissonConvergence, Backends);

template <class Exec>
void expect_orders(const std::string& shape, int order, int coarse, int fine, int geometry = 1) {
  Exec exec;
  mesh::Mesh a = box(shape, coarse, geometry), b = box(shape, fine, geometry);
  const double amount =
      order < 4 ? 0.05 : 0.02;  // quartic cells are few: a mild map keeps them in the asymptotic range
  distort(a, amount);
  distort(b, amount);
  const double tolerance = order < 4 ? 1e-12 : 1e-11;  // what rounding lets quartic matrices reach
  const Sine problem = sine(a.dim);
  const Solved first = solve_dirichlet(exec, a, order, problem.u, problem.gradient, problem.f, tolerance);
  const Solved second = solve_dirichlet(exec, b, order, problem.u, problem.gradient, problem.f, tolerance);
  ASSERT_TRUE(first.report.converged && second.report.converged)
      << shape << " P" << order << ": " << second.report.failure;
  const double finer = static_cast<double>(fine) / coarse;
  EXPECT_GE(observed_order(first.errors.l2, second.errors.l2, finer), order + 0.9) << shape << " P" << order;
  EXPECT_GE(observed_order(*first.errors.h1, *second.errors.h1, finer), order - 0.1) << shape << " P" << order;
}

/// Coarse and fine cells an axis; fine enough for the asymptotic order, small enough for seconds.
TYPED_TEST(PoissonConvergence, Interval) {
  TESSERA_REQUIRE(TypeParam);
  for (int order = 1; order <= 4; ++order) expect_orders<TypeParam>("interval", order, 16, 32);
}
TYPED_TEST(PoissonConvergence, Triangle) {
  TESSERA_REQUIRE(TypeParam);
  for (int order = 1; order <= 4; ++order) expect_orders<TypeParam>("triangle", order, 12, 24);
}
TYPED_TEST(PoissonConvergence, Quad) {
  TESSERA_REQUIRE(TypeParam);
  for (int order = 1; order <= 4; ++order) expect_orders<TypeParam>("quad", order, 12, 24);
}
TYPED_TEST(PoissonConvergence, Tet) {
  TESSERA_REQUIRE(TypeParam);
  for (int order = 1; order <= 4; ++order)
    expect_orders<TypeParam>("tet", order, order < 3 ? 10 : 5, order < 3 ? 18 : 8);
}
TYPED_TEST(PoissonConvergence, Hex) {
  TESSERA_REQUIRE(TypeParam);
  for (int order = 1; order <= 4; ++order)
    expect_orders<TypeParam>("hex", order, order < 3 ? 8 : 5, order < 3 ? 16 : 8);
}
TYPED_TEST(PoissonConvergence, Prism) {
  TESSERA_REQUIRE(TypeParam);
  for (int order = 1; order <= 4; ++order)
    expect_orders<TypeParam>("prism", order, order < 3 ? 8 : 4, order < 3 ? 14 : 6);
}
/// Order 8, and hexes above 5, meet rounding before they are in the asymptotic range: for those there is
/// Patch.PolynomialsOfTheElementsOrderAreSolvedExactly.
TYPED_TEST(PoissonConvergence, OrdersFiveToSeven) {
  TESSERA_REQUIRE(TypeParam);
  for (int order = 5; order <= 7; ++order) {
    expect_orders<TypeParam>("interval", order, 3, 5);
    expect_orders<TypeParam>("quad", order, 3, 6);
  }
  expect_orders<TypeParam>("hex", 5, 2, 4);
}
TYPED_TEST(PoissonConvergence, CurvedCells) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"triangle", "quad"}) expect_orders<TypeParam>(shape, 2, 10, 20, 2);
  for (const char* shape : {"tet", "hex", "prism"}) expect_orders<TypeParam>(shape, 2, 6, 12, 2);
}

}  // namespace
}  // namespace tessera::testing
