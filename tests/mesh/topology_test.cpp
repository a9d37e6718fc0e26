#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "mesh/geometry.hpp"
#include "meshes.hpp"

namespace tessera::mesh {
namespace {

using testing::cell_shapes;

TEST(Topology, EulerCharacteristicOfEachShapeIsThatOfABall) {
  for (Shape shape : cell_shapes) {
    const Topology& t = topology(shape);
    int euler = vertex_count(shape) - static_cast<int>(t.edges.size()) + static_cast<int>(t.faces.size());
    if (dimension(shape) == 3) euler -= 1;
    EXPECT_EQ(euler, 1) << name(shape);
  }
}

TEST(Topology, EveryEdgeOfACellIsUsedTwiceInOppositeDirectionsByItsFaces) {
  for (Shape shape : {Shape::tet, Shape::hex, Shape::prism}) {
    std::map<std::pair<int, int>, int> seen;
    for (const auto& face : topology(shape).facets)
      for (int v = 0, n = vertex_count(face.shape); v < n; ++v) ++seen[{face.vertices[v], face.vertices[(v + 1) % n]}];
    for (const auto& [a, b] : topology(shape).edges) EXPECT_EQ((seen[{a, b}] + seen[{b, a}]), 2) << name(shape);
    for (const auto& [edge, count] : seen) EXPECT_EQ(count, 1) << name(shape);
  }
}

TEST(Topology, NormalsOfThreeDimensionalCellsPointOutward) {
  for (Shape shape : {Shape::tet, Shape::hex, Shape::prism}) {
    const auto x = reference_nodes(shape, 1);
    std::array<double, 3> middle{};
    for (int v = 0; v < vertex_count(shape); ++v)
      for (int d = 0; d < 3; ++d) middle[d] += x[3 * v + d] / vertex_count(shape);
    for (const auto& f : topology(shape).facets) {
      const double *a = &x[3 * f.vertices[0]], *b = &x[3 * f.vertices[1]], *c = &x[3 * f.vertices[2]];
      double outward = 0;
      for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3, g = (d + 2) % 3;
        outward += ((b[e] - a[e]) * (c[g] - a[g]) - (b[g] - a[g]) * (c[e] - a[e])) * (a[d] - middle[d]);
      }
      EXPECT_GT(outward, 0) << name(shape);
    }
  }
}

TEST(Topology, ShapeFunctionsAreOneAtTheirNodeAndZeroAtTheOthers) {
  for (Shape shape : cell_shapes)
    for (int order : {1, 2}) {
      const auto x = reference_nodes(shape, order);
      const int n = node_count(shape, order), dim = dimension(shape);
      ASSERT_EQ(static_cast<int>(x.size()), n * dim);
      for (int j = 0; j < n; ++j) {
        std::array<double, max_nodes> phi;
        std::array<double, 3 * max_nodes> dphi;
        shape_functions(shape, order, x.data() + j * dim, phi.data(), dphi.data());
        for (int i = 0; i < n; ++i) EXPECT_NEAR(phi[i], i == j, 1e-14) << name(shape) << order;
        for (int d = 0; d < dim; ++d) {
          double sum = 0;
          for (int i = 0; i < n; ++i) sum += dphi[i * dim + d];
          EXPECT_NEAR(sum, 0, 1e-13);
        }
      }
    }
}

TEST(Topology, FacetNodesLieWhereTheFacetsOwnReferenceNodesAre) {
  for (Shape shape : cell_shapes)
    for (std::size_t side = 0; side < topology(shape).facets.size(); ++side) {
      const Shape facet = topology(shape).facets[side].shape;
      const auto nodes = facet_nodes(shape, static_cast<int>(side), 2);
      const auto x = reference_nodes(shape, 2), own = reference_nodes(facet, 2);
      const int dim = dimension(shape), n = node_count(facet, 2);
      ASSERT_EQ(static_cast<int>(nodes.size()), n);
      for (int i = 0; i < n; ++i) {
        std::array<double, max_nodes> phi;
        shape_functions(facet, 1, own.data() + i * dimension(facet), phi.data(), nullptr);
        for (int d = 0; d < dim; ++d) {
          double mapped = 0;
          for (int v = 0; v < vertex_count(facet); ++v) mapped += phi[v] * x[nodes[v] * dim + d];
          EXPECT_NEAR(mapped, x[nodes[i] * dim + d], 1e-14) << name(shape) << " side " << side;
        }
      }
    }
}

TEST(Topology, UnknownShapeNamesTheNearest) {
  EXPECT_EQ(shape_from_name("prism"), Shape::prism);
  try {
    shape_from_name("tett");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(error.help().find("tet"), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera::mesh
