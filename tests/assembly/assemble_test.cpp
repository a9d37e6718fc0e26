#include "assembly/cells/assembler.hpp"

#include <cmath>

#include "assembly/support.hpp"

namespace tessera::testing {
namespace {

struct Case {
  const char* shape;
  int order;
  int geometry;
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex"})
    for (int order = 1; order <= 4; ++order)
      for (int geometry = 1; geometry <= 2; ++geometry) result.push_back({shape, order, geometry});
  return result;
}

mesh::Mesh deformed(const Case& c) {
  mesh::Mesh mesh = box(c.shape, mesh::dimension(mesh::shape_from_name(c.shape)) == 3 ? 2 : 3, c.geometry);
  deform(mesh);
  return mesh;
}

std::string text(const Case& c) {
  return std::string(c.shape) + " order " + std::to_string(c.order) + " geometry " + std::to_string(c.geometry);
}

template <class Exec>
class Assemble : public ::testing::Test {};
TYPED_TEST_SUITE(Assemble, Backends);

TYPED_TEST(Assemble, StiffnessAnnihilatesConstantsAndIsSymmetricPositive) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c : cases()) {
    System<TypeParam> system(deformed(c), c.order);
    system.assemble({.region = {}, .k = constant(2.5), .c = {}, .f = {}});
    const Eigen::MatrixXd K = system.matrix();
    const double size = K.cwiseAbs().maxCoeff();
    EXPECT_GT(size, 0) << text(c);
    EXPECT_LT((K * Eigen::VectorXd::Ones(K.cols())).cwiseAbs().maxCoeff(), 1e-12 * size) << text(c);
    EXPECT_LE((K - K.transpose()).cwiseAbs().maxCoeff(), 1e-14 * size) << text(c);
    Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(K.cols(), -1, 1).array().sin();
    EXPECT_GT(v.dot(K * v), 0) << text(c);
    EXPECT_EQ(system.vector().cwiseAbs().maxCoeff(), 0);
  }
}

TYPED_TEST(Assemble, MassAndLoadSumToTheVolume) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c : cases()) {
    System<TypeParam> system(deformed(c), c.order);
    system.assemble({.region = {}, .k = {}, .c = constant(1), .f = constant(3)});
    EXPECT_NEAR(system.matrix().sum(), 1, 1e-12) << text(c);
    EXPECT_NEAR(system.vector().sum(), 3, 1e-12) << text(c);
  }
}

/// int grad u . K grad u = |grad u|_K^2 volume for a linear u, and K u is zero at interior dofs: the patch test.
TYPED_TEST(Assemble, PatchTestWithATensor) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c : cases()) {
    if (c.order < c.geometry) continue;  // linear functions are not in the space of a curved cell of lower order
    System<TypeParam> system(deformed(c), c.order);
    const int dim = system.mesh.dim;
    const std::vector<double> tensor = dim == 1   ? std::vector<double>{2}
                                       : dim == 2 ? std::vector<double>{2, 0.5, 3}
                                                  : std::vector<double>{2, 0.5, 0.2, 3, -0.4, 4};
    const double gradient[3] = {1, -2, 0.5};
    system.assemble({.region = {}, .k = {static_cast<int>(tensor.size()), false, tensor}, .c = {}, .f = {}});
    const std::vector<double> points = assembly::dof_points(system.mesh, system.map);
    Eigen::VectorXd u(system.map.dofs);
    for (Index i = 0; i < system.map.dofs; ++i) {
      u[i] = 7;
      for (int d = 0; d < dim; ++d) u[i] += gradient[d] * points[3 * i + d];
    }
    double energy = 0;
    for (int d = 0, m = 0; d < dim; ++d)
      for (int e = d; e < dim; ++e, ++m) energy += (d == e ? 1 : 2) * gradient[d] * tensor[m] * gradient[e];
    Eigen::VectorXd residual = system.matrix() * u;
    EXPECT_NEAR(u.dot(residual), energy, 1e-10) << text(c);
    for (const Index dof : assembly::exterior_dofs(system.mesh, system.map)) residual[dof] = 0;
    // Curved simplices integrate rational functions: the rule is exact only for straight ones and for polynomials.
    EXPECT_LT(residual.cwiseAbs().maxCoeff(), c.geometry == 1 ? 1e-11 : 1e-2) << text(c);
  }
}

TYPED_TEST(Assemble, ValuesAtPointsAgreeWithConstants) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c : cases()) {
    System<TypeParam> system(deformed(c), c.order);
    system.assemble({.region = {}, .k = constant(2), .c = constant(3), .f = constant(5)});
    const Eigen::MatrixXd A = system.matrix();
    const Eigen::VectorXd b = system.vector();
    const std::size_t points = system.assembler.quadrature_points().size() / 3;
    const auto all = [&](double value) { return forms::Coefficient{1, true, std::vector<double>(points, value)}; };
    system.assemble({.region = {}, .k = constant(2), .c = constant(3), .f = all(5)});
    EXPECT_LT((system.vector() - b).cwiseAbs().maxCoeff(), 1e-13) << text(c);
    system.assemble({.region = {}, .k = all(2), .c = all(3), .f = all(5)});
    EXPECT_LT((system.matrix() - A).cwiseAbs().maxCoeff(), 1e-11) << text(c);
    EXPECT_LT((system.vector() - b).cwiseAbs().maxCoeff(), 1e-13) << text(c);
  }
}

TYPED_TEST(Assemble, SourceAtPointsIntegratesPolynomials) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"triangle", "tet", "hex"}) {
    System<TypeParam> system(deformed({shape, 1, 1}), 1);
    const std::vector<double> points = system.assembler.quadrature_points();
    std::vector<double> f(points.size() / 3);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = points[3 * i] * points[3 * i];
    system.assemble({.region = {}, .k = constant(1), .c = {}, .f = {1, true, f}});
    EXPECT_NEAR(system.vector().sum(), 1.0 / 3, std::string(shape) == "hex" ? 1e-2 : 1e-12) << shape;
  }
}

TYPED_TEST(Assemble, RegionsWeighTheirCells) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"triangle", "tet", "hex"})
    for (int order = 1; order <= 2; ++order) {
      System<TypeParam> system(box(shape, 2), order);
      std::vector<Index> region(system.mesh.cells());
      int right = 0;
      for (const mesh::CellBlock& block : system.mesh.blocks)
        for (Index cell = 0; cell < block.cells(); ++cell) {
          double x = 0;
          for (int i = 0; i < block.nodes_per_cell; ++i)
            x += system.mesh.point(block.cell(cell)[i])[0] / block.nodes_per_cell;
          right += region[block.first_cell + cell] = x > 0.5;
        }
      EXPECT_EQ(2 * right, system.mesh.cells());
      system.assemble({.region = region, .k = {1, false, {1, 2}}, .c = {1, false, {10, 20}}, .f = {1, false, {0, 4}}});
      EXPECT_NEAR(system.matrix().sum(), 15, 1e-11);
      EXPECT_NEAR(system.vector().sum(), 2, 1e-12);
    }
}

TYPED_TEST(Assemble, RefillIsBitwiseRepeatable) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c : cases()) {
    System<TypeParam> system(deformed(c), c.order);
    system.assemble({.region = {}, .k = constant(1.1), .c = constant(0.3), .f = constant(2)});
    const auto values = to_vector(system.A.values);
    const auto b = to_vector(system.b);
    system.assembler.refill(system.A, system.b.view());
    EXPECT_EQ(values, to_vector(system.A.values)) << text(c);
    EXPECT_EQ(b, to_vector(system.b)) << text(c);
  }
}

TEST(AssembleThreads, ResultDoesNotDependOnTheNumberOfThreads) {
  for (const Case& c : std::vector<Case>{{"tet", 1, 1}, {"tet", 2, 1}, {"hex", 1, 1}, {"hex", 2, 2}, {"quad", 4, 1}}) {
    mesh::Mesh mesh = box(c.shape, 7, c.geometry);
    deform(mesh);
    System<Threads> one(mesh, c.order, Threads(1)), two(mesh, c.order, Threads(2)), five(mesh, c.order, Threads(5));
    for (System<Threads>* system : {&one, &two, &five})
      system->assemble({.region = {}, .k = constant(1.1), .c = constant(0.3), .f = constant(2)});
    for (System<Threads>* system : {&two, &five}) {
      EXPECT_EQ(to_vector(one.A.values), to_vector(system->A.values)) << text(c);
      EXPECT_EQ(to_vector(one.b), to_vector(system->b)) << text(c);
    }
  }
}

}  // namespace
}  // namespace tessera::testing
