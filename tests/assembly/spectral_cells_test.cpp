#include "assembly/spectral/cells.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "assembly/fields/errors.hpp"
#include "assembly/fields/quantities.hpp"
#include "assembly/space/geometry_map.hpp"
#include "base/error.hpp"
#include "mesh/groups.hpp"
#include "spectral_support.hpp"

namespace {

using namespace tessera;
using namespace tessera::spectral_test;
using namespace tessera::assembly::spectral;

constexpr int degrees[] = {2, 3, 4, 5, 6, 7, 8};

TEST(SpectralRule, HasTheNodesAndWeightsOfGaussAndLobatto) {
  const Rule& four = rule(4);
  EXPECT_NEAR(four.points[3], .654653670707977, 1e-15);
  EXPECT_NEAR(four.weights[0], .1, 1e-15);
  EXPECT_NEAR(four.weights[1], .544444444444444, 1e-15);
  EXPECT_NEAR(four.weights[2], .711111111111111, 1e-15);
  EXPECT_NEAR(rule(8).points[5], .363117463826178, 1e-15);
  EXPECT_NEAR(rule(8).weights[5], .346428510973046, 1e-15);
}

TEST(SpectralRule, IntegratesAndDerivesPolynomialsExactly) {
  for (const int degree : degrees) {
    const Rule& r = rule(degree);
    for (int k = 0; k <= 2 * degree - 1; ++k) {
      double sum = 0;
      for (int i = 0; i < r.n; ++i) sum += r.weights[i] * std::pow(r.points[i], k);
      EXPECT_NEAR(sum, k % 2 ? 0 : 2.0 / (k + 1), 1e-14) << degree << ' ' << k;
    }
    for (int k = 1; k <= degree; ++k)
      for (int i = 0; i < r.n; ++i) {
        double slope = 0;
        for (int j = 0; j < r.n; ++j) slope += r.slope[i * r.n + j] * std::pow(r.points[j], k);
        EXPECT_NEAR(slope, k * std::pow(r.points[i], k - 1), 1e-12);
      }
  }
}

/// c dt / h of Newmark's scheme on a line of elements of length h: omega dt <= 2, and h = 2 on the reference interval.
TEST(SpectralRule, HasTheKnownLimitsOfStability) {
  const auto limit = [](int degree) { return 1 / std::sqrt(rule(degree).largest_eigenvalue); };
  EXPECT_NEAR(limit(2), .408248, 1e-6);
  EXPECT_NEAR(limit(4), .147704, 1e-6);
  EXPECT_NEAR(limit(5), .101021, 1e-6);
  EXPECT_NEAR(limit(6), .073051, 1e-6);
  EXPECT_NEAR(limit(7), .055162, 1e-6);
  EXPECT_NEAR(limit(8), .043083, 1e-6);
}

TEST(SpectralCells, NodesAreThoseOfGaussAndLobattoAtEveryDegree) {
  for (const int degree : degrees) {
    const assembly::Element& line = assembly::lagrange(mesh::Shape::interval, degree, LineNodes::lobatto);
    for (int i = 0; i <= degree; ++i) EXPECT_NEAR(line.line_nodes[i], rule(degree).points[i], 1e-15);
    for (const mesh::Shape shape : {mesh::Shape::quad, mesh::Shape::hex}) {
      const assembly::Element& element = assembly::lagrange(shape, degree, LineNodes::lobatto);
      std::vector<double> phi, dphi;
      assembly::tabulate(element, element.node_points, phi, dphi);
      for (int i = 0; i < element.nodes; ++i)
        for (int j = 0; j < element.nodes; ++j) ASSERT_NEAR(phi[i * element.nodes + j], i == j, 1e-12);
    }
  }
}

TEST(SpectralCells, OrdersOneTwoAndFiveAndAboveAreTheElementsOfAllSpaces) {
  for (const int degree : {1, 2, 5, 8})
    EXPECT_EQ(&assembly::lagrange(mesh::Shape::hex, degree, LineNodes::lobatto),
              &assembly::lagrange(mesh::Shape::hex, degree));
}

/// Whatever cell a dof is seen from it lies at the same place, and no two lie at one.
void expect_continuous(const mesh::Mesh& mesh, int degree) {
  const DofMap dofs = spectral_dofs(mesh, degree);
  const Cells cells = make_cells(mesh, dofs);
  const std::vector<double> points = assembly::dof_points(mesh, dofs);
  std::set<std::array<long, 3>> places;
  for (Index dof = 0; dof < dofs.dofs; ++dof) {
    const double* const x = &points[3 * static_cast<std::size_t>(dof)];
    places.insert({std::lround(x[0] * 1e7), std::lround(x[1] * 1e7), std::lround(x[2] * 1e7)});
  }
  EXPECT_EQ(places.size(), static_cast<std::size_t>(dofs.dofs));
  std::vector<double> reference;
  for (int q = 0; q < cells.places; ++q)
    for (int axis = 0, rest = q; axis < cells.dim; ++axis, rest /= cells.n)
      reference.push_back(rule(degree).points[rest % cells.n]);
  for (const mesh::CellBlock& block : mesh.blocks) {
    const assembly::GeometryMap map(block, reference);
    for (Index c = 0; c < block.cells(); ++c)
      for (int q = 0; q < cells.places; ++q) {
        double x[3];
        map.point(mesh, block.cell(c), q, x);
        const Index dof = cells.cell(block.first_cell + c)[q];
        for (int axis = 0; axis < 3; ++axis)
          ASSERT_NEAR(x[axis], points[3 * static_cast<std::size_t>(dof) + axis], 1e-9);
      }
  }
}

TEST(SpectralCells, NeighboursAgreeOnSharedNodesHoweverCellsAreTurned) {
  for (const int degree : degrees)
    for (const int dim : {2, 3})
      for (const int order : {1, 2}) expect_continuous(irregular(dim, 2, order), degree);
}

TEST(SpectralCells, FieldsAndErrorsKnowTheNodes) {
  for (const int degree : degrees) {
    const mesh::Mesh mesh = irregular(2, 2);
    const DofMap dofs = spectral_dofs(mesh, degree);
    const std::vector<double> u = at_dofs(mesh, dofs, 1, [](const double* x, int) { return 1 + x[0] * x[0] - x[1]; });
    const auto norms = assembly::compute_errors(mesh, dofs, {u, {1, 1, 1}}, deck::Expression("1 + x^2 - y"), {}, {});
    EXPECT_LT(norms.l2, 1e-13);
    EXPECT_NEAR(assembly::value_at(mesh, dofs, {u, {1, 1, 1}}, {0.4, 0.5, 0}), 0.66, 1e-12);
    const std::vector<double> spaced = assembly::equispaced_values(dofs, u);
    const std::vector<double> points = assembly::equispaced_dof_points(mesh, dofs);
    for (std::size_t i = 0; i < spaced.size(); ++i)
      EXPECT_NEAR(spaced[i], 1 + points[3 * i] * points[3 * i] - points[3 * i + 1], 1e-12);
  }
}

TEST(SpectralCells, MassesAddUpToTheMassOfTheBody) {
  for (const int dim : {2, 3})
    for (const int degree : degrees) {
      const mesh::Mesh mesh = irregular(dim, 2);
      const DofMap dofs = spectral_dofs(mesh, degree);
      const Cells cells = make_cells(mesh, dofs);
      const std::vector<double> mass = diagonal_mass(mesh, dofs, cells, constant({2.5}, mesh.cells()));
      const std::vector<double> one(mass.size(), 1.0);
      const double volume = assembly::moments(mesh, dofs, {one, {1, 1, 1}}, nullptr).measure;
      EXPECT_NEAR(std::accumulate(mass.begin(), mass.end(), 0.0), 2.5 * volume, 1e-12);
      EXPECT_GT(*std::min_element(mass.begin(), mass.end()), 0);
    }
}

TEST(SpectralCells, NormalsOfAClosedSurfaceAddUpToNothingAndHaveItsArea) {
  for (const int dim : {2, 3})
    for (const int degree : degrees) {
      mesh::Mesh mesh = test_meshes::box(dim == 2 ? mesh::Shape::quad : mesh::Shape::hex, 2);
      const DofMap dofs = spectral_dofs(mesh, degree);
      double area = 0;
      std::array<double, 3> sum{};
      for (const mesh::Group& group : mesh.groups) {
        if (group.dim != dim - 1) continue;
        for_each_side_node(mesh, dofs, make_cells(mesh, dofs), group, [&](const SideNode& node) {
          area += std::hypot(node.normal[0], node.normal[1], node.normal[2]);
          for (int d = 0; d < 3; ++d) sum[d] += node.normal[d];
        });
      }
      EXPECT_NEAR(area, 2 * dim, 1e-12);
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(sum[d], 0, 1e-12);
    }
}

TEST(SpectralCells, NamesTheCellThatIsFolded) {
  mesh::Mesh mesh = test_meshes::box(mesh::Shape::quad, 2);
  for (Index node = 0; node < mesh.nodes(); ++node)
    if (mesh.point(node)[0] == 0.5 && mesh.point(node)[1] == 0.5)
      mesh.points[3 * node] = mesh.points[3 * node + 1] = 1.5;
  try {
    (void)make_cells(mesh, spectral_dofs(mesh, 4));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::mesh);
    EXPECT_NE(std::string(error.what()).find("is folded at"), std::string::npos);
  }
}

TEST(SpectralCells, RefusesTrianglesByName) {
  const mesh::Mesh mesh = test_meshes::box(mesh::Shape::triangle, 2);
  try {
    (void)spectral_dofs(mesh, 4);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the mesh has a triangle"), std::string::npos);
  }
}

}  // namespace
