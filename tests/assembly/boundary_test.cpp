#include "assembly/facets/integrals.hpp"

#include <cmath>

#include "assembly/support.hpp"
#include "linalg/sliced_ell.hpp"

namespace tessera::testing {
namespace {

/// Every exterior facet of a mesh.
mesh::Group exterior(const mesh::Mesh& mesh) {
  mesh::Group group{.name = "exterior", .dim = mesh.dim - 1, .entities = {}, .vertices = {}};
  for (Index facet = 0; facet < mesh.facets.size(); ++facet)
    if (mesh.facets.exterior[facet]) group.entities.push_back(facet);
  return group;
}

template <class Exec>
class Boundary : public ::testing::Test {};
TYPED_TEST_SUITE(Boundary, Backends);

TYPED_TEST(Boundary, RobinAndNeumannIntegralsEqualTheArea) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex"})
    for (int order = 1; order <= 4; ++order)
      for (int geometry = 1; geometry <= 2; ++geometry) {
        System<TypeParam> system(box(shape, 2, geometry), order);
        const mesh::Group group = exterior(system.mesh);
        const std::size_t points = system.assembler.facet_points(group).size() / 3;
        system.assemble({});
        const std::vector<double> alpha(points, 2), g(points, 3);
        system.assembler.add_facets(forms::Robin{}, group, {alpha, g}, system.A, system.b.view());
        const double area = 2 * system.mesh.dim;
        const Eigen::MatrixXd A = system.matrix();
        EXPECT_NEAR(A.sum(), 2 * area, 1e-12) << shape << order;
        EXPECT_LT((A - A.transpose()).cwiseAbs().maxCoeff(), 1e-14) << shape << order;
        EXPECT_NEAR(system.vector().sum(), 3 * area, 1e-12) << shape << order;
      }
}

TYPED_TEST(Boundary, NeumannDataAtPointsIntegratesPolynomials) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"triangle", "quad", "tet", "hex"}) {
    System<TypeParam> system(box(shape, 3), 2);
    const mesh::Group* right = system.mesh.group("right", system.mesh.dim - 1);
    ASSERT_TRUE(right);
    const std::vector<double> points = system.assembler.facet_points(*right);
    std::vector<double> g(points.size() / 3);
    for (std::size_t i = 0; i < g.size(); ++i) {
      EXPECT_NEAR(points[3 * i], 1, 1e-14);
      g[i] = points[3 * i + 1] * points[3 * i + 1];
    }
    system.assemble({});
    system.assembler.add_facets(forms::Robin{}, *right, {{}, g}, system.A, system.b.view());
    EXPECT_NEAR(system.vector().sum(), 1.0 / 3, 1e-13) << shape;
  }
}

/// Elimination keeps the matrix symmetric and gives the solution of the system with the rows replaced.
TYPED_TEST(Boundary, DirichletEliminationKeepsTheSolution) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"triangle", "hex"}) {
    System<TypeParam> system(box(shape, 4), 2);
    system.assemble({.region = {}, .k = constant(3), .c = constant(1), .f = constant(2)});
    Eigen::MatrixXd A = system.matrix();
    Eigen::VectorXd b = system.vector();
    const std::vector<Index> dofs = assembly::exterior_dofs(system.mesh, system.map);
    std::vector<double> values;
    for (const Index dof : dofs) {
      values.push_back(std::sin(dof));
      A.row(dof).setZero();
      A(dof, dof) = 1;
      b[dof] = values.back();
    }
    const Eigen::VectorXd expected = A.partialPivLu().solve(b);
    assembly::eliminate_dirichlet(system.exec, system.A, system.b.view(), dofs, values);
    const Eigen::MatrixXd eliminated = system.matrix();
    EXPECT_LE((eliminated - eliminated.transpose()).cwiseAbs().maxCoeff(), 1e-14 * eliminated.cwiseAbs().maxCoeff());
    const Eigen::VectorXd found = eliminated.partialPivLu().solve(system.vector());
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12) << shape;
  }
}

/// A matrix that is assembled straight into sliced ELL needs no values in CRS, neither for cells nor for Dirichlet
/// conditions.
TYPED_TEST(Boundary, DirichletEliminationInSlicesEqualsThatInRows) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"triangle", "tet"}) {
    System<TypeParam> system(box(shape, 5), 2);
    const forms::DiffusionData data{.region = {}, .k = constant(3), .c = constant(1), .f = constant(2)};
    const std::vector<Index> dofs = assembly::exterior_dofs(system.mesh, system.map);
    std::vector<double> prescribed;
    for (const Index dof : dofs) prescribed.push_back(std::sin(dof));
    system.assemble(data);
    auto sliced = linalg::sliced_ell_from_crs(system.exec, system.A, {.window = 1});
    assembly::eliminate_dirichlet(system.exec, system.A, system.b.view(), dofs, prescribed);
    const auto expected =
        linalg::to_crs(system.exec, linalg::sliced_ell_from_crs(system.exec, system.A, {.window = 1}));
    const Eigen::VectorXd expected_b = system.vector();

    system.A.values = {};
    const auto layout = sliced.layout();
    ASSERT_TRUE(layout.has_value());
    system.assembler.refill(system.A, *layout, sliced.values.view(), system.b.view());
    assembly::eliminate_dirichlet(system.exec, system.A, *layout, sliced.values.view(), system.b.view(), dofs,
                                  prescribed);
    EXPECT_EQ(to_vector(expected.values), to_vector(linalg::to_crs(system.exec, sliced).values)) << shape;
    EXPECT_EQ(expected_b, system.vector()) << shape;
  }
}

/// Of a row that is given several times the last value holds, whatever thread comes to it when.
TYPED_TEST(Boundary, OfARowGivenTwiceTheLastValueHolds) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec = testing::with_threads<TypeParam>(3);
  const Index n = 200000;
  std::vector<Offset> ptr{0};
  std::vector<Index> col, fixed;
  std::vector<double> val, values;
  for (Index row = 0; row < n; ++row) {
    for (const Index c : {row - 1, row, row + 1})
      if (c >= 0 && c < n) col.push_back(c), val.push_back(c == row ? 2 : -1);
    ptr.push_back(static_cast<Offset>(col.size()));
  }
  for (Index row = 0; row < n; row += 2) fixed.push_back(row), values.push_back(7);
  for (Index row = n - 2; row >= 0; row -= 2) fixed.push_back(row), values.push_back(0.25 * row);
  const auto matrix = [&] {
    return linalg::Crs<Space>{n, n, to_space<Space>(ptr), to_space<Space>(col), to_space<Space>(val)};
  };
  linalg::Crs<Space> eliminated = matrix(), A = matrix();
  Array<double, Space> expected(n), b(n);
  expected.set_zero();
  assembly::eliminate_dirichlet(exec, eliminated, expected.view(), fixed, values);
  auto removed = assembly::remove_columns(exec, A, fixed);
  EXPECT_EQ(to_vector(A.values), to_vector(eliminated.values));
  const std::vector<Index> kept = to_vector(removed.fixed);
  for (Index k = 0; k < n; ++k) ASSERT_EQ(kept[k], k < n / 2 ? -1 : fixed[k]) << k;
  const auto there = to_space<Space>(values);
  for (int time = 0; time < 5; ++time) {
    b.set_zero();
    assembly::prescribe(exec, removed, View<const double>(there.view()), b.view());
    EXPECT_EQ(to_vector(b), to_vector(expected));
  }

  // Other values in the same places, some of them 0.
  for (std::size_t k = 0; k < val.size(); ++k) val[k] = k % 5 == 0 ? 0 : 0.5 + static_cast<double>(k % 7);
  linalg::Crs<Space> others = matrix(), again = matrix();
  expected.set_zero(), b.set_zero();
  assembly::eliminate_dirichlet(exec, others, expected.view(), fixed, values);
  assembly::remove_again(exec, again, removed);
  EXPECT_EQ(to_vector(again.values), to_vector(others.values));
  assembly::prescribe(exec, removed, View<const double>(there.view()), b.view());
  EXPECT_EQ(to_vector(b), to_vector(expected));
}

TYPED_TEST(Boundary, WrongDofIsNamed) {
  TESSERA_REQUIRE(TypeParam);
  System<TypeParam> system(box("quad", 2), 1);
  system.assemble({.region = {}, .k = constant(1), .c = {}, .f = {}});
  EXPECT_ANY_THROW(assembly::eliminate_dirichlet(system.exec, system.A, system.b.view(), {1000}, {0.0}));
  EXPECT_ANY_THROW(assembly::eliminate_dirichlet(system.exec, system.A, system.b.view(), {1}, {}));
}

}  // namespace
}  // namespace tessera::testing
