#include "mesh/geometry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mesh/box_of_points.hpp"
#include "meshes.hpp"

namespace tessera::mesh {
namespace {

/// A box bent by a smooth map, so that quads, hexes and curved cells are not affine.
Mesh bent(Shape shape, int order) {
  Mesh mesh = testing::unit_box(shape, 3, order);
  for (Index v = 0; v < mesh.nodes(); ++v) {
    double* x = mesh.points.data() + 3 * v;
    if (mesh.dim > 1) x[0] += 0.15 * x[1] * x[1];
    if (mesh.dim > 2) x[1] += 0.1 * x[0] * x[2];
  }
  return mesh;
}

TEST(Geometry, BoxesHaveVolumeOneAndSidesOfAreaOne) {
  for (Shape shape : testing::cell_shapes)
    for (int order : {1, 2}) {
      const Mesh mesh = testing::unit_box(shape, 3, order);
      EXPECT_NEAR(measure(mesh), 1, 1e-12) << name(shape);
      for (const Group& group : mesh.groups)
        if (group.dim >= mesh.dim - 1) {
          EXPECT_NEAR(measure(mesh, group), 1, 1e-12) << group.name;
        }
      const BoundingBox box = bounding_box(mesh);
      for (int d = 0; d < mesh.dim; ++d) EXPECT_EQ(box.max[d] - box.min[d], 1);
    }
}

TEST(Geometry, TheBoxOfPointsIsTheSameOnAnyNumberOfThreadsAndOfNoneInsideOut) {
  std::vector<double> points;
  for (int i = 0; i < 30000; ++i)
    for (int d = 0; d < 3; ++d) points.push_back(std::sin(i * (d + 1.0)) - d);
  const BoundingBox one = box_of_points(points, 1), four = box_of_points(points, 4), none = box_of_points({}, 4);
  EXPECT_EQ(one.min, four.min);
  EXPECT_EQ(one.max, four.max);
  for (std::size_t d = 0; d < 3; ++d) {
    double least = points[d], most = points[d];
    for (std::size_t i = d; i < points.size(); i += 3) {
      least = std::min(least, points[i]);
      most = std::max(most, points[i]);
    }
    EXPECT_EQ(one.min[d], least);
    EXPECT_EQ(one.max[d], most);
    EXPECT_EQ(none.min[d], HUGE_VAL);
    EXPECT_EQ(none.max[d], -HUGE_VAL);
  }
  EXPECT_EQ(bounding_box(Mesh()).max[0], 0);
}

TEST(Geometry, PointsInsideCellsAreFoundThere) {
  for (Shape shape : testing::cell_shapes)
    for (int order : {1, 2}) {
      const Mesh mesh = bent(shape, order);
      const PointLocator locator(mesh);
      const CellBlock& block = mesh.blocks[0];
      const auto corners = reference_nodes(shape, 1);
      const int n = vertex_count(shape);
      for (Index c = 0; c < mesh.cells(); ++c) {
        // An inner reference point, off the centre.
        std::array<double, 3> xi{};
        for (int v = 0; v < n; ++v)
          for (int d = 0; d < mesh.dim; ++d) xi[d] += corners[v * mesh.dim + d] * (v + 1.0) / (n * (n + 1) / 2.0);
        std::array<double, max_nodes> phi;
        shape_functions(shape, order, xi.data(), phi.data(), nullptr);
        std::array<double, 3> x{};
        for (int i = 0; i < block.nodes_per_cell; ++i)
          for (int d = 0; d < 3; ++d) x[d] += phi[i] * mesh.point(block.cell(c)[i])[d];
        const auto found = locator.find(x);
        ASSERT_TRUE(found) << name(shape) << " cell " << c;
        EXPECT_EQ(found->cell, c);
        for (int d = 0; d < mesh.dim; ++d) EXPECT_NEAR(found->xi[d], xi[d], 1e-10);
      }
    }
}

TEST(Geometry, EveryNodeIsInACellAndOutsideIsNowhere) {
  for (Shape shape : testing::cell_shapes) {
    const Mesh mesh = testing::unit_box(shape, 4);
    const PointLocator locator(mesh);
    for (Index v = 0; v < mesh.nodes(); ++v)
      EXPECT_TRUE(locator.find({mesh.point(v)[0], mesh.point(v)[1], mesh.point(v)[2]})) << name(shape);
    EXPECT_FALSE(locator.find({1.001, 0, 0}));
    EXPECT_FALSE(locator.find({-5, 0, 0}));
    EXPECT_FALSE(locator.find({std::nan(""), 0, 0}));
  }
  const Mesh mixed = testing::mixed_mesh();
  EXPECT_EQ(find_cell(mixed, {0.5, 0.5, 0.5})->cell, 0);
  EXPECT_EQ(find_cell(mixed, {1.2, 0.2, 0.5})->cell, 1);
  EXPECT_EQ(find_cell(mixed, {1.1, 0.1, 1.5})->cell, 2);
}

TEST(Geometry, CurvedCellsMeasureADiscBetterThanStraightOnes) {
  // The square [-1,1]^2 onto the disc: its border nodes lie on the circle.
  auto disc_error = [](int order) {
    BoxParams params;
    params.shape = "quad";
    params.min = {-1, -1};
    params.max = {1, 1};
    params.cells = {8, 8};
    Mesh mesh = make_box(params, order);
    for (Index v = 0; v < mesh.nodes(); ++v) {
      double* p = mesh.points.data() + 3 * v;
      const double x = p[0], y = p[1];
      p[0] = x * std::sqrt(1 - y * y / 2);
      p[1] = y * std::sqrt(1 - x * x / 2);
    }
    return std::abs(measure(mesh) - std::numbers::pi);
  };
  EXPECT_LT(disc_error(2), 0.02 * disc_error(1));
}

}  // namespace
}  // namespace tessera::mesh
