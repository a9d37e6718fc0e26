#include "assembly/space/dof_map.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "assembly/space/geometry_map.hpp"
#include "base/error.hpp"
#include "meshes.hpp"

namespace {

using namespace tessera;
using namespace tessera::assembly;
using mesh::Mesh;
using mesh::Shape;

std::vector<Index> numbers(const DofMap& map) { return {map.blocks[0].dofs.begin(), map.blocks[0].dofs.end()}; }

/// Continuity: whatever cell a dof is seen from, it lies at the same place; and no two dofs lie at one place.
void expect_consistent(const Mesh& mesh, const DofMap& dofs) {
  const std::vector<double> points = dof_points(mesh, dofs);
  ASSERT_EQ(points.size(), 3 * std::size_t(dofs.dofs));
  std::vector<char> used(dofs.dofs, 0);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const GeometryMap geometry(mesh.blocks[b], lagrange(mesh.blocks[b].shape, dofs.order).node_points);
    for (Index c = 0; c < mesh.blocks[b].cells(); ++c)
      for (int n = 0; n < dofs.blocks[b].nodes; ++n) {
        double x[3];
        geometry.point(mesh, mesh.blocks[b].cell(c), n, x);
        const Index dof = dofs.blocks[b].cell(c)[n];
        ASSERT_GE(dof, 0);
        ASSERT_LT(dof, dofs.dofs);
        used[dof] = 1;
        for (int axis = 0; axis < 3; ++axis)
          ASSERT_NEAR(x[axis], points[3 * std::size_t(dof) + axis], 1e-12)
              << "cell " << c << " node " << n << " dof " << dof;
      }
  }
  EXPECT_EQ(std::count(used.begin(), used.end(), 1), dofs.dofs);
  std::set<std::array<long, 3>> places;
  for (Index dof = 0; dof < dofs.dofs; ++dof) {
    const double* x = &points[3 * std::size_t(dof)];
    places.insert({std::lround(x[0] * 1e7), std::lround(x[1] * 1e7), std::lround(x[2] * 1e7)});
  }
  EXPECT_EQ(places.size(), std::size_t(dofs.dofs));
}

TEST(DofMap, DoesNotDependOnTheNumberOfThreads) {
  for (const Shape shape : {Shape::triangle, Shape::tet, Shape::hex, Shape::prism})
    for (const int order : {1, 2, 4}) {
      const int dim = mesh::dimension(shape);
      const std::vector<int> cells = std::vector<int>{5, 7, 3};
      const Mesh mesh = test_meshes::box(shape, {cells.begin(), cells.begin() + dim});
      const DofMap one = make_dof_map(mesh, order, 1);
      for (const int threads : {2, 5}) {
        const DofMap many = make_dof_map(mesh, order, threads);
        EXPECT_EQ(many.dofs, one.dofs);
        EXPECT_EQ(many.vertex_dofs, one.vertex_dofs);
        EXPECT_EQ(numbers(many), numbers(one));
      }
    }
}

TEST(DofMap, NodesOfNoCellHaveNoDof) {
  Mesh mesh = test_meshes::box(Shape::tet, {2, 2, 2});
  const DofMap whole = make_dof_map(mesh, 1);
  const std::vector<Index> numbers_of_whole = numbers(whole);  // which are the mesh's
  EXPECT_EQ(whole.dofs, mesh.nodes());
  EXPECT_EQ(numbers_of_whole, mesh.blocks[0].nodes);
  mesh.points.insert(mesh.points.begin(), {9.0, 9.0, 9.0});  // the first node
  for (Index& node : mesh.blocks[0].nodes) ++node;
  mesh.box_cells.fill(0);
  const DofMap map = make_dof_map(mesh, 1, 3);
  EXPECT_EQ(map.dofs, whole.dofs);
  EXPECT_EQ(map.vertex_dofs.front(), -1);
  EXPECT_EQ(map.vertex_dofs.back(), whole.dofs - 1);
  EXPECT_EQ(numbers(map), numbers_of_whole);
  expect_consistent(mesh, map);
}

class DofMaps : public ::testing::TestWithParam<std::tuple<Shape, int>> {
 protected:
  const Shape shape = std::get<0>(GetParam());
  const int order = std::get<1>(GetParam());
};

TEST_P(DofMaps, CountTheLatticeOfABox) {
  const int dim = mesh::dimension(shape);
  const std::vector<int> cells = std::vector<int>{3, 2, 4};
  const Mesh mesh = test_meshes::box(shape, {cells.begin(), cells.begin() + dim});
  Index expected = 1;
  for (int axis = 0; axis < dim; ++axis) expected *= order * cells[axis] + 1;
  const DofMap dofs = make_dof_map(mesh, order);
  EXPECT_EQ(dofs.dofs, expected);
  expect_consistent(mesh, dofs);
}

TEST_P(DofMaps, AgreeOverSidesWhateverTheOrientation) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    Mesh mesh = test_meshes::box(shape, 2);
    const Index expected = make_dof_map(mesh, order).dofs;
    test_meshes::shuffle_nodes(mesh, seed);
    test_meshes::turn_cells(mesh, seed + 100);
    const DofMap dofs = make_dof_map(mesh, order);
    EXPECT_EQ(dofs.dofs, expected);
    expect_consistent(mesh, dofs);
  }
}

TEST_P(DofMaps, DoNotDependOnTheGeometricOrder) {
  Mesh mesh = test_meshes::box(shape, 2, 2);
  test_meshes::bend(mesh);
  const Index expected = make_dof_map(test_meshes::box(shape, 2), order).dofs;
  for (unsigned seed = 0; seed < 3; ++seed) {
    test_meshes::shuffle_nodes(mesh, seed);
    const DofMap dofs = make_dof_map(mesh, order);
    EXPECT_EQ(dofs.dofs, expected);
    expect_consistent(mesh, dofs);
  }
}

TEST_P(DofMaps, DoNotDependOnTheNumberOfThreads) {
  const Mesh mesh = test_meshes::box(shape, 4);
  const DofMap one = make_dof_map(mesh, order, 1), three = make_dof_map(mesh, order, 3);
  EXPECT_EQ(numbers(one), numbers(three));
}

TEST_P(DofMaps, FindTheDofsOfSides) {
  const Mesh mesh = test_meshes::box(shape, 3);
  const DofMap dofs = make_dof_map(mesh, order);
  const std::vector<double> points = dof_points(mesh, dofs);
  const mesh::Group* left = mesh.group("left", mesh.dim - 1);
  ASSERT_NE(left, nullptr);
  std::vector<Index> expected, rim;
  for (Index dof = 0; dof < dofs.dofs; ++dof) {
    const double* x = &points[3 * std::size_t(dof)];
    if (std::abs(x[0]) < 1e-12) expected.push_back(dof);
    bool on_rim = false;
    for (int axis = 0; axis < mesh.dim; ++axis) on_rim = on_rim || x[axis] < 1e-12 || x[axis] > 1 - 1e-12;
    if (on_rim) rim.push_back(dof);
  }
  EXPECT_EQ(facet_dofs(mesh, dofs, *left), expected);
  EXPECT_EQ(exterior_dofs(mesh, dofs), rim);
  const mesh::Group* domain = mesh.group("domain", mesh.dim);
  ASSERT_NE(domain, nullptr);
  EXPECT_EQ(Index(facet_dofs(mesh, dofs, *domain).size()), dofs.dofs);
}

INSTANTIATE_TEST_SUITE_P(AllShapes, DofMaps,
                         ::testing::Combine(::testing::Values(Shape::interval, Shape::triangle, Shape::quad, Shape::tet,
                                                              Shape::hex, Shape::prism),
                                            ::testing::Range(1, 5)),
                         [](const auto& info) {
                           return std::string(mesh::name(std::get<0>(info.param))) +
                                  std::to_string(std::get<1>(info.param));
                         });
INSTANTIATE_TEST_SUITE_P(HighOrders, DofMaps,
                         ::testing::Combine(::testing::Values(Shape::interval, Shape::quad, Shape::hex),
                                            ::testing::Values(5, 6, 8)),
                         [](const auto& info) {
                           return std::string(mesh::name(std::get<0>(info.param))) +
                                  std::to_string(std::get<1>(info.param));
                         });

TEST(DofMap, EquispacedValuesOfAPolynomialAreItsValuesThere) {
  for (const Shape shape : {Shape::interval, Shape::quad, Shape::hex})
    for (const int order : {3, 5, 8}) {
      Mesh mesh = test_meshes::box(shape, 2);
      test_meshes::shuffle_nodes(mesh, 3);
      test_meshes::turn_cells(mesh, 4);
      const DofMap dofs = make_dof_map(mesh, order);
      const auto f = [&](const double* x, int i) {
        return std::pow(x[0], order) - (i + 1) * x[mesh.dim - 1] + x[0] * x[1];
      };
      const std::vector<double> nodes = dof_points(mesh, dofs), points = equispaced_dof_points(mesh, dofs);
      std::vector<double> u(2 * std::size_t(dofs.dofs));
      for (Index dof = 0; dof < dofs.dofs; ++dof)
        for (int i = 0; i < 2; ++i) u[2 * dof + i] = f(&nodes[3 * std::size_t(dof)], i);
      const std::vector<double> values = equispaced_values(dofs, u, 2);
      for (Index dof = 0; dof < dofs.dofs; ++dof)
        for (int i = 0; i < 2; ++i)
          ASSERT_NEAR(values[2 * dof + i], f(&points[3 * std::size_t(dof)], i), 1e-11) << mesh::name(shape) << order;
    }
}

TEST(DofMap, OfOrderOneFollowsTheNodes) {
  Mesh mesh = test_meshes::box(Shape::tet, 3);
  test_meshes::shuffle_nodes(mesh, 5);
  const DofMap dofs = make_dof_map(mesh, 1);
  EXPECT_EQ(numbers(dofs), mesh.blocks[0].nodes);
}

TEST(DofMap, JoinsShapes) {
  for (int order = 1; order <= 4; ++order)
    for (unsigned seed = 0; seed < 20; ++seed) {
      for (Mesh mesh : {test_meshes::mixed_2d(), test_meshes::mixed_3d()}) {
        test_meshes::shuffle_nodes(mesh, seed);
        test_meshes::turn_cells(mesh, seed);
        const DofMap dofs = make_dof_map(mesh, order);
        expect_consistent(mesh, dofs);
        const int k = order, inside = k - 1;
        // Euler: vertices, edges, triangle and quad faces, cells
        const int triangle = inside * (k - 2) / 2, quad = inside * inside;
        const int tet = triangle * (k - 3) / 3;
        const int expected =
            mesh.dim == 2 ? 7 + 10 * inside + 2 * quad + 2 * triangle
                          : 11 + 20 * inside + (2 + 3) * triangle + 8 * quad + quad * inside + triangle * inside + tet;
        EXPECT_EQ(dofs.dofs, expected) << "order " << order << " dim " << mesh.dim;
      }
    }
}

TEST(DofMap, FindsDofsOnCurvesAndPoints) {
  Mesh mesh = test_meshes::box(Shape::tet, 1);
  mesh::Group curve{"edge", 1, {}, {0, 1}}, point{"corner", 0, {}, {1}};
  for (int order = 1; order <= 4; ++order) {
    const DofMap dofs = make_dof_map(mesh, order);
    const std::vector<double> points = dof_points(mesh, dofs);
    const auto on = facet_dofs(mesh, dofs, curve);
    EXPECT_EQ(int(on.size()), order + 1);
    for (const Index dof : on) {
      EXPECT_NEAR(points[3 * dof + 1], 0, 1e-14);
      EXPECT_NEAR(points[3 * dof + 2], 0, 1e-14);
    }
    const auto at = facet_dofs(mesh, dofs, point);
    ASSERT_EQ(at.size(), 1u);
    EXPECT_NEAR(points[3 * at[0]], 1, 1e-14);
  }
}

TEST(DofMap, IsAsLocalAsTheMesh) {
  // dofs of a lexicographically numbered box stay within a few planes of each other
  const Mesh mesh = test_meshes::box(Shape::tet, 8);
  const DofMap dofs = make_dof_map(mesh, 2);
  Index bandwidth = 0;
  for (Index c = 0; c < dofs.blocks[0].cells(); ++c) {
    const auto [low, high] = std::minmax_element(dofs.blocks[0].cell(c), dofs.blocks[0].cell(c) + 10);
    bandwidth = std::max(bandwidth, *high - *low);
  }
  EXPECT_LT(bandwidth, dofs.dofs / 4);
}

TEST(DofMap, RefusesOtherOrders) {
  EXPECT_THROW(make_dof_map(test_meshes::box(Shape::quad, 1), 9), Error);
  EXPECT_THROW(make_dof_map(test_meshes::box(Shape::tet, 1), 5), Error);
  EXPECT_THROW(make_dof_map(test_meshes::mixed_2d(), 5), Error);
}

}  // namespace
