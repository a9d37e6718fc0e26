// Which facets of two sides lie before each other, where bodies are thinner than their facets are wide.
#include "mesh/overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mesh/geometry.hpp"
#include "mesh/meshes.hpp"

namespace tessera::mesh {
namespace {

using testing::unit_box;

struct Plate {
  int cells = 1;
  double from = 0, to = 1;  ///< along the first axis
  double width = 1;         ///< along the second one
};

/// Plates across the first axis, with nodes of their own.
Mesh plates(Shape shape, const std::vector<Plate>& all) {
  Mesh mesh;
  for (const Plate& plate : all) {
    Mesh one = unit_box(shape, plate.cells);
    for (Index node = 0; node < one.nodes(); ++node) {
      double* const x = &one.points[3 * static_cast<std::size_t>(node)];
      x[0] = plate.from + (plate.to - plate.from) * x[0];
      x[1] *= plate.width;
    }
    if (mesh.blocks.empty()) {
      mesh = std::move(one);
      continue;
    }
    const Index nodes = mesh.nodes();
    mesh.points.insert(mesh.points.end(), one.points.begin(), one.points.end());
    for (const Index node : one.blocks[0].nodes) mesh.blocks[0].nodes.push_back(node + nodes);
  }
  mesh.facets = {};
  mesh.groups = {};
  mesh.box_cells.fill(0);
  find_exterior_facets(mesh);
  return mesh;
}

/// Facets at these places of the first axis that look up or down it.
std::vector<Index> looking(const Mesh& mesh, double way, const std::vector<double>& at) {
  std::vector<Index> result;
  for (Index f = 0; f < mesh.facets.size(); ++f) {
    const FacetMap map(mesh, {mesh.facets.cell[f], mesh.facets.side[f]});
    if (map.normal[0] * way < 0.99) continue;
    if (std::any_of(at.begin(), at.end(), [&](double x) { return std::abs(map.x[0][0] - x) < 1e-9; }))
      result.push_back(f);
  }
  return result;
}

double place(const Mesh& mesh, Index facet) {
  return FacetMap(mesh, {mesh.facets.cell[facet], mesh.facets.side[facet]}).x[0][0];
}

double measure_of(const Mesh& mesh, const Overlap& overlap) { return mesh.dim == 1 ? 1 : area(overlap.corners); }

const std::vector<Shape> shapes{Shape::interval, Shape::triangle, Shape::quad, Shape::tet, Shape::hex};

/// Plates 0.02 thick with facets of a third: a tenth of these reaches through a plate.
TEST(OverlapOfPlates, IsWithTheNearestOneAlone) {
  for (const Shape shape : shapes)
    for (const double reach : {-1.0, 0.05}) {
      const Mesh mesh = plates(shape, {{3, 0, 0.02}, {4, 0.02, 0.04}, {3, 0.04, 0.06}});
      double total = 0;
      for (const Overlap& overlap :
           find_overlaps(mesh, looking(mesh, 1, {0.02, 0.04}), looking(mesh, -1, {0.02, 0.04}), reach)) {
        EXPECT_NEAR(place(mesh, overlap.first), place(mesh, overlap.second), 1e-12) << name(shape) << reach;
        total += measure_of(mesh, overlap);
      }
      EXPECT_NEAR(total, 2, 1e-9) << name(shape) << reach;
    }
}

TEST(OverlapOfPlates, IsNoneWithTheOtherFaceOfTheSameBody) {
  for (const Shape shape : shapes) {
    const Mesh mesh = plates(shape, {{3, 0, 0.02}});
    EXPECT_TRUE(find_overlaps(mesh, looking(mesh, 1, {0.02}), looking(mesh, -1, {0}), -1).empty()) << name(shape);
    EXPECT_TRUE(find_overlaps(mesh, looking(mesh, -1, {0}), looking(mesh, 1, {0.02}), -1).empty()) << name(shape);
  }
}

/// A plate of half the width lies before a wide one: each has the half that it is nearest to.
TEST(OverlapOfPlates, IsSharedWhereTheNearestOneIsSmaller) {
  for (const Shape shape : {Shape::triangle, Shape::quad, Shape::tet, Shape::hex}) {
    const Mesh mesh = plates(shape, {{3, -1, 0}, {4, 0.001, 0.002, 0.47}, {2, 0.003, 1}});
    double near = 0, far = 0;
    for (const Overlap& overlap : find_overlaps(mesh, looking(mesh, 1, {0}), looking(mesh, -1, {0.001, 0.003}), -1))
      (place(mesh, overlap.second) < 0.002 ? near : far) += area(overlap.corners);
    EXPECT_NEAR(near, 0.47, 1e-9) << name(shape);
    EXPECT_NEAR(far, 0.53, 1e-9) << name(shape);
  }
}

/// Sides that go into each other a little, as those of files do, touch where no gap is allowed.
TEST(OverlapOfPlates, ToleratesTheRoundingOfFilesWithoutAGap) {
  for (const Shape shape : shapes)
    for (const double shift : {0.0, 1e-10, -1e-10}) {
      const Mesh mesh = plates(shape, {{3, 100, 101}, {4, 101 + shift, 102}});
      double total = 0;
      for (const Overlap& overlap : find_overlaps(mesh, looking(mesh, 1, {101}), looking(mesh, -1, {101 + shift}), 0)) {
        EXPECT_GE(overlap.reach, 1e-10);
        total += measure_of(mesh, overlap);
      }
      EXPECT_NEAR(total, 1, 1e-9) << name(shape) << shift;
    }
}

TEST(OverlapOfPlates, OfGivenGapIsAlsoThatOfSidesThatGoIntoEachOther) {
  const Mesh mesh = plates(Shape::quad, {{3, 0, 1}, {4, 0.97, 2}});
  const std::vector<Index> first = looking(mesh, 1, {1}), second = looking(mesh, -1, {0.97});
  EXPECT_FALSE(find_overlaps(mesh, first, second, 0.05).empty());
  EXPECT_TRUE(find_overlaps(mesh, first, second, 0.02).empty());
}

}  // namespace
}  // namespace tessera::mesh
