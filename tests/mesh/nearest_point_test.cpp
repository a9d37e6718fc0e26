#include "mesh/nearest_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mesh/geometry.hpp"
#include "meshes.hpp"

namespace tessera::mesh {
namespace {

using Point = std::array<double, 3>;

double between(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/// Points around the unit box, near and far.
std::vector<Point> around(int dim) {
  std::vector<Point> result;
  for (const double x : {-3.0, -0.01, 0.37, 1.2})
    for (const double y : {-0.2, 0.61, 1.0, 7.0})
      for (const double z : {-1e-6, 0.5, 4.0}) {
        const Point p{x, dim > 1 ? y : 0, dim > 2 ? z : 0};
        const bool outside = x < 0 || x > 1 || (dim > 1 && (y < 0 || y > 1)) || (dim > 2 && (z < 0 || z > 1));
        if (outside) result.push_back(p);
      }
  return result;
}

TEST(NearestPoints, OfABoxAreItsClampedCoordinates) {
  for (const Shape shape : testing::cell_shapes)
    for (const int order : {1, 2}) {
      const Mesh mesh = testing::unit_box(shape, 3, order);
      const NearestPoints points(mesh);
      for (const Point& p : around(mesh.dim)) {
        const Nearest nearest = points.find(p);
        Point wanted = p;
        for (int d = 0; d < mesh.dim; ++d) wanted[d] = std::clamp(p[d], 0.0, 1.0);
        EXPECT_NEAR(between(nearest.x, wanted), 0, 1e-12) << name(shape) << " " << p[0] << " " << p[1] << " " << p[2];
        EXPECT_NEAR(nearest.distance, between(p, wanted), 1e-12) << name(shape);
        Point xi{};
        const CellBlock& block = mesh.block_of(nearest.cell);
        ASSERT_TRUE(reference_coordinates(mesh, block, nearest.cell - block.first_cell, nearest.x, xi));
        for (int d = 0; d < mesh.dim; ++d) EXPECT_NEAR(xi[d], nearest.xi[d], 1e-9) << name(shape);
      }
    }
}

/// The side y = 1 becomes y = 1 + x (1 - x), which cells of order 2 have exactly.
TEST(NearestPoints, FollowCurvedSides) {
  for (const Shape shape : {Shape::triangle, Shape::quad}) {
    Mesh mesh = testing::unit_box(shape, 4, 2);
    for (Index v = 0; v < mesh.nodes(); ++v) {
      double* const x = mesh.points.data() + 3 * static_cast<std::size_t>(v);
      x[1] *= 1 + x[0] * (1 - x[0]);
    }
    const NearestPoints points(mesh);
    for (const double s : {0.1, 0.35, 0.5, 0.9}) {
      // Along the normal of the curve at (s, 1 + s (1 - s)).
      const double slope = 1 - 2 * s, length = std::hypot(1, slope);
      const Point foot{s, 1 + s * (1 - s), 0}, p{s - 0.05 * slope / length, foot[1] + 0.05 / length, 0};
      const Nearest nearest = points.find(p);
      EXPECT_NEAR(nearest.distance, 0.05, 1e-10) << name(shape) << " " << s;
      EXPECT_NEAR(between(nearest.x, foot), 0, 1e-10) << name(shape) << " " << s;
    }
  }
}

TEST(NearestPoints, OfAMeshWithoutCellsAreNone) {
  Mesh mesh;
  EXPECT_EQ(NearestPoints(mesh).find({0, 0, 0}).cell, -1);
}

}  // namespace
}  // namespace tessera::mesh
