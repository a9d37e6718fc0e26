#include "assembly/fields/errors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "meshes.hpp"
#include "support/orders.hpp"

namespace {

using namespace tessera;
using namespace tessera::assembly;
using deck::Expression;
using mesh::Mesh;
using mesh::Shape;

const Shape shapes[] = {Shape::interval, Shape::triangle, Shape::quad, Shape::tet, Shape::hex, Shape::prism};

/// (1 + x - 2y + z/2)^k without the coordinates that the mesh lacks, and its gradient.
struct Polynomial {
  Expression value;
  std::vector<Expression> gradient;
  Polynomial(int dim, int k) {
    std::string base = "(1+x";
    if (dim > 1) base += "-2*y";
    if (dim > 2) base += "+z/2";
    base += ")";
    value = Expression(base + "^" + std::to_string(k));
    const char* slopes[] = {"1", "-2", "0.5"};
    for (int i = 0; i < dim; ++i)
      gradient.emplace_back(std::string(slopes[i]) + "*" + std::to_string(k) + "*" + base + "^" +
                            std::to_string(k - 1));
  }
};

TEST(Errors, VanishForInterpolatedPolynomials) {
  for (const Shape shape : shapes)
    for (int k = 1; k <= 4; ++k) {
      Mesh mesh = test_meshes::box(shape, 2);
      test_meshes::shuffle_nodes(mesh, 3);
      test_meshes::turn_cells(mesh, 4);
      const DofMap dofs = make_dof_map(mesh, k);
      const Polynomial exact(mesh.dim, k);
      const HostTensorField two = HostTensorField::constant(2);
      const ErrorNorms norms = compute_errors(mesh, dofs, interpolate(mesh, dofs, exact.value), exact.value,
                                              exact.gradient, {.coefficient = &two});
      EXPECT_LT(norms.l2, 1e-12) << mesh::name(shape) << k;
      EXPECT_LT(norms.h1.value(), 1e-11) << mesh::name(shape) << k;
      EXPECT_LT(norms.energy.value(), 1e-11);
      EXPECT_LT(norms.max, 1e-11);
    }
}

TEST(Errors, VanishOnMixedMeshes) {
  for (int k = 1; k <= 4; ++k)
    for (const Mesh& mesh : {test_meshes::mixed_2d(), test_meshes::mixed_3d()}) {
      const DofMap dofs = make_dof_map(mesh, k);
      const Polynomial exact(mesh.dim, k);
      const ErrorNorms norms =
          compute_errors(mesh, dofs, interpolate(mesh, dofs, exact.value), exact.value, exact.gradient);
      EXPECT_LT(norms.l2, 1e-11);
      EXPECT_LT(norms.h1.value(), 1e-10);
      EXPECT_FALSE(norms.energy.has_value());
    }
}

/// K = [4, 1; 1, 9], asked for at one point at a time.
void one_place(Index, int count, const deck::Points&, double* k) {
  ASSERT_EQ(count, 1);
  k[0] = 4, k[1] = 1, k[2] = 9;
}

TEST(Errors, OfABodyOfRevolution) {
  // 0 against r in a cylinder: l2^2 = int r^2 2 pi r dr, h1^2 the volume, energy^2 = 4 times it
  Mesh mesh = test_meshes::box(Shape::triangle, 3);
  mesh::set_axis(mesh, "y");
  const DofMap dofs = make_dof_map(mesh, 2);
  const std::vector<double> zero(dofs.dofs, 0.0);
  const HostTensorField k{3, one_place};
  const std::vector<Expression> gradient{Expression(1.0), Expression(0.0)};
  const ErrorNorms norms = compute_errors(mesh, dofs, zero, Expression("x"), gradient, {.coefficient = &k});
  EXPECT_NEAR(norms.l2, std::sqrt(M_PI / 2), 1e-14);
  EXPECT_NEAR(norms.h1.value(), std::sqrt(M_PI), 1e-14);
  EXPECT_NEAR(norms.energy.value(), 2 * std::sqrt(M_PI), 1e-14);
  EXPECT_DOUBLE_EQ(norms.max, 1);
}

TEST(Errors, OfAKnownDifference) {
  // u_h = 0 against x on the unit square: l2 = sqrt(1/3), h1 = 1, energy = sqrt(k_xx) = 2, max = 1
  const Mesh mesh = test_meshes::box(Shape::triangle, 3);
  const DofMap dofs = make_dof_map(mesh, 2);
  const std::vector<double> zero(dofs.dofs, 0.0);
  const HostTensorField k{3, one_place};
  const std::vector<Expression> gradient{Expression(1.0), Expression(0.0)};
  const ErrorNorms norms = compute_errors(mesh, dofs, zero, Expression("x"), gradient, {.coefficient = &k});
  EXPECT_NEAR(norms.l2, std::sqrt(1.0 / 3), 1e-14);
  EXPECT_NEAR(norms.h1.value(), 1, 1e-14);
  EXPECT_NEAR(norms.energy.value(), 2, 1e-14);
  EXPECT_DOUBLE_EQ(norms.max, 1);
}

TEST(Errors, OfInterpolationFallAtTheOrderOfTheElement) {
  const Expression exact("sin(3*x+y)*cos(2*y)");
  const std::vector<Expression> gradient{Expression("3*cos(3*x+y)*cos(2*y)"),
                                         Expression("cos(3*x+y)*cos(2*y)-2*sin(3*x+y)*sin(2*y)")};
  for (const int geometry_order : {1, 2})
    for (int k = 1; k <= (geometry_order == 1 ? 4 : 2); ++k) {
      std::vector<ErrorNorms> norms;
      for (const int n : {8, 16}) {
        Mesh mesh = test_meshes::box(Shape::triangle, n, geometry_order);
        test_meshes::bend(mesh);
        const DofMap dofs = make_dof_map(mesh, k);
        norms.push_back(compute_errors(mesh, dofs, interpolate(mesh, dofs, exact), exact, gradient));
      }
      EXPECT_GT(tessera::testing::observed_order(norms[0].l2, norms[1].l2), k + 1 - 0.15) << k;
      EXPECT_GT(tessera::testing::observed_order(*norms[0].h1, *norms[1].h1), k - 0.15) << k;
    }
}

TEST(Errors, DoNotDependOnTheNumberOfThreads) {
  const Mesh mesh = test_meshes::box(Shape::tet, 6);
  const DofMap dofs = make_dof_map(mesh, 2);
  const Expression exact("exp(x)*y*z");
  const std::vector<double> zero(dofs.dofs, 0.0);
  const ErrorNorms one = compute_errors(mesh, dofs, zero, exact, {}, {.threads = 1});
  const ErrorNorms three = compute_errors(mesh, dofs, zero, exact, {}, {.threads = 3});
  EXPECT_EQ(one.l2, three.l2);
  EXPECT_FALSE(one.h1.has_value());
}

TEST(Errors, AtATime) {
  const Mesh mesh = test_meshes::box(Shape::interval, 4);
  const DofMap dofs = make_dof_map(mesh, 1);
  const Expression exact("t*x");
  EXPECT_LT(compute_errors(mesh, dofs, interpolate(mesh, dofs, exact, 3), exact, {}, {.time = 3}).l2, 1e-14);
}

TEST(Errors, RefuseGradientsOfAnotherDimensionAndInfiniteValues) {
  const Mesh mesh = test_meshes::box(Shape::quad, 2);
  const DofMap dofs = make_dof_map(mesh, 1);
  const std::vector<double> zero(dofs.dofs, 0.0);
  const std::vector<Expression> three(3, Expression(0.0));
  EXPECT_THROW(compute_errors(mesh, dofs, zero, Expression("x"), three), Error);
  EXPECT_THROW(compute_errors(mesh, dofs, zero, Expression("log(x-2)")), Error);
}

}  // namespace
