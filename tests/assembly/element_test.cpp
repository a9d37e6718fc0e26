#include "assembly/space/element.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.hpp"

namespace {

using namespace tessera;
using namespace tessera::assembly;
using mesh::Shape;

const Shape cells[] = {Shape::interval, Shape::triangle, Shape::quad, Shape::tet, Shape::hex, Shape::prism};

class Elements : public ::testing::TestWithParam<std::tuple<Shape, int>> {
 protected:
  const Element& element = lagrange(std::get<0>(GetParam()), std::get<1>(GetParam()));

  /// Points in the reference cell: convex combinations of its vertices.
  std::vector<double> random_points(int count) const {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto vertices = reference_vertices(element.shape);
    std::vector<double> points;
    for (int q = 0; q < count; ++q) {
      std::vector<double> weight(vertices.size() / element.dim);
      double sum = 0;
      for (double& w : weight) sum += w = uniform(random);
      for (int axis = 0; axis < element.dim; ++axis) {
        double x = 0;
        for (std::size_t v = 0; v < weight.size(); ++v) x += weight[v] / sum * vertices[v * element.dim + axis];
        points.push_back(x);
      }
    }
    return points;
  }
};

TEST_P(Elements, HasTheDimensionOfItsPolynomials) {
  const int k = element.order;
  const int triangle = (k + 1) * (k + 2) / 2;
  switch (element.shape) {
    case Shape::interval: EXPECT_EQ(element.nodes, k + 1); break;
    case Shape::triangle: EXPECT_EQ(element.nodes, triangle); break;
    case Shape::quad: EXPECT_EQ(element.nodes, (k + 1) * (k + 1)); break;
    case Shape::tet: EXPECT_EQ(element.nodes, triangle * (k + 3) / 3); break;
    case Shape::hex: EXPECT_EQ(element.nodes, (k + 1) * (k + 1) * (k + 1)); break;
    case Shape::prism: EXPECT_EQ(element.nodes, triangle * (k + 1)); break;
    case Shape::point: break;
  }
}

TEST_P(Elements, BasisIsOneAtItsNodeAndZeroAtTheOthers) {
  std::vector<double> phi, dphi;
  tabulate(element, element.node_points, phi, dphi);
  for (int q = 0; q < element.nodes; ++q)
    for (int n = 0; n < element.nodes; ++n)
      EXPECT_NEAR(phi[q * element.nodes + n], q == n ? 1 : 0, 1e-13) << q << ' ' << n;
}

TEST_P(Elements, BasisSumsToOneAndGradientsToZero) {
  std::vector<double> phi, dphi;
  tabulate(element, random_points(10), phi, dphi);
  for (int q = 0; q < 10; ++q) {
    double sum = 0, gradient[3] = {};
    for (int n = 0; n < element.nodes; ++n) {
      sum += phi[q * element.nodes + n];
      for (int axis = 0; axis < element.dim; ++axis)
        gradient[axis] += dphi[(q * element.nodes + n) * element.dim + axis];
    }
    EXPECT_NEAR(sum, 1, 1e-13);
    for (const double g : gradient) EXPECT_NEAR(g, 0, 1e-12);
  }
}

TEST_P(Elements, GradientsMatchCentralDifferences) {
  const double h = 1e-5;
  const std::vector<double> points = random_points(5);
  std::vector<double> phi, dphi, above, below, unused;
  tabulate(element, points, phi, dphi);
  for (int axis = 0; axis < element.dim; ++axis) {
    std::vector<double> up = points, down = points;
    for (int q = 0; q < 5; ++q) up[q * element.dim + axis] += h, down[q * element.dim + axis] -= h;
    tabulate(element, up, above, unused);
    tabulate(element, down, below, unused);
    for (std::size_t i = 0; i < phi.size(); ++i)
      EXPECT_NEAR(dphi[i * element.dim + axis], (above[i] - below[i]) / (2 * h), 1e-7);
  }
}

TEST_P(Elements, SidesCarryTheFacetsOwnElement) {
  const auto& facets = mesh::topology(element.shape).facets;
  for (std::size_t side = 0; side < facets.size(); ++side) {
    const Element& facet = lagrange(facets[side].shape, element.order);
    const std::vector<int>& local = facet_local_dofs(element.shape, element.order, int(side));
    ASSERT_EQ(int(local.size()), facet.nodes);
    for (int v = 0; v < mesh::vertex_count(facet.shape); ++v) EXPECT_EQ(local[v], facets[side].vertices[v]);
  }
}

TEST_P(Elements, SideNormalsPointOutAndCloseTheCell) {
  // sum over sides of (normal x measure of the reference facet) vanishes for a closed surface
  std::array<double, 3> sum{};
  const auto& facets = mesh::topology(element.shape).facets;
  const auto vertices = reference_vertices(element.shape);
  for (std::size_t side = 0; side < facets.size(); ++side) {
    const auto n = reference_normal(element.shape, int(side));
    const double measure = facets[side].shape == Shape::point      ? 1
                           : facets[side].shape == Shape::interval ? 2
                           : facets[side].shape == Shape::triangle ? 0.5
                                                                   : 4;
    double outward = 0;  // from the centre of the vertices to a vertex of the side
    for (int axis = 0; axis < element.dim; ++axis) {
      double centre = 0;
      const int count = mesh::vertex_count(element.shape);
      for (int v = 0; v < count; ++v) centre += vertices[v * element.dim + axis] / count;
      outward += n[axis] * (vertices[facets[side].vertices[0] * element.dim + axis] - centre);
    }
    EXPECT_GT(outward, 0) << "side " << side;
    for (int axis = 0; axis < 3; ++axis) sum[axis] += measure * n[axis];
  }
  for (const double s : sum) EXPECT_NEAR(s, 0, 1e-14);
}

const auto name_of = [](const auto& info) {
  return std::string(mesh::name(std::get<0>(info.param))) + std::to_string(std::get<1>(info.param));
};
INSTANTIATE_TEST_SUITE_P(AllShapes, Elements, ::testing::Combine(::testing::ValuesIn(cells), ::testing::Range(1, 5)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(HighOrders, Elements,
                         ::testing::Combine(::testing::Values(Shape::interval, Shape::quad, Shape::hex),
                                            ::testing::Range(5, 9)),
                         name_of);

TEST(Element, HasEquispacedNodesToOrderFourAndLobattoNodesAbove) {
  for (int order = 1; order <= 8; ++order) {
    const Element& line = lagrange(Shape::interval, order);
    ASSERT_EQ(int(line.line_nodes.size()), order + 1);
    for (int i = 0; i <= order; ++i) {
      EXPECT_NEAR(line.line_nodes[i], -line.line_nodes[order - i], 1e-15);
      if (order <= 4) {
        EXPECT_NEAR(line.line_nodes[i], -1 + 2.0 * i / order, 1e-15);
      }
    }
  }
  // Gauss-Lobatto with 6 nodes: the inner ones are +- sqrt(1/3 -+ 2 sqrt(7) / 21)
  const auto& nodes = lagrange(Shape::interval, 5).line_nodes;
  EXPECT_NEAR(nodes[4], std::sqrt(1.0 / 3 + 2 * std::sqrt(7.0) / 21), 1e-15);
  EXPECT_NEAR(nodes[3], std::sqrt(1.0 / 3 - 2 * std::sqrt(7.0) / 21), 1e-15);
}

TEST(Element, EquispacedPointsFollowTheNodes) {
  for (const Shape shape : {Shape::interval, Shape::quad, Shape::hex})
    for (int order = 1; order <= 8; ++order) {
      const Element& element = lagrange(shape, order);
      const std::vector<double> points = equispaced_points(element);
      ASSERT_EQ(points.size(), element.node_points.size());
      for (std::size_t i = 0; i < points.size(); ++i) {
        const double step = 0.5 * (points[i] + 1) * order;
        EXPECT_NEAR(step, std::round(step), 1e-12);
        EXPECT_NEAR(element.line_nodes[std::lround(step)], element.node_points[i], 1e-14);
      }
    }
}

TEST(Element, OrdersOneAndTwoHaveGmshNodeOrder) {
  for (const Shape shape : cells)
    for (const int order : {1, 2}) {
      const Element& element = lagrange(shape, order);
      const auto gmsh = mesh::reference_nodes(shape, order);
      ASSERT_EQ(gmsh.size(), element.node_points.size()) << mesh::name(shape) << order;
      for (std::size_t i = 0; i < gmsh.size(); ++i)
        EXPECT_NEAR(gmsh[i], element.node_points[i], 1e-15)
            << mesh::name(shape) << order << " node " << i / element.dim;
    }
}

TEST(Element, RefusesOtherOrders) {
  for (const auto& [shape, order] : {std::pair{Shape::hex, 0}, {Shape::hex, 9}, {Shape::tet, 5}, {Shape::prism, 5}}) {
    try {
      lagrange(shape, order);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find(mesh::name(shape)), std::string::npos);
      EXPECT_NE(error.help().find("1 to 4 are there for triangle, tet and prism, 1 to 8"), std::string::npos);
    }
  }
}

}  // namespace
