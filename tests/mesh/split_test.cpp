// Meshes that come apart along facets inside of them, and sides that lie on each other.
#include "mesh/split.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error.hpp"
#include "mesh/conformity.hpp"
#include "mesh/geometry.hpp"
#include "mesh/meshes.hpp"
#include "mesh/overlap.hpp"
#include "mesh/sides.hpp"

namespace tessera::mesh {
namespace {

using testing::cell_shapes;
using testing::unit_box;

/// Adds the groups of cells "low" and "high", on either side of the first interior plane across the first axis.
double add_halves(Mesh& mesh, int cells) {
  const double at = std::floor(cells / 2.0) / cells;
  Group low{"low", mesh.dim, {}, {}}, high{"high", mesh.dim, {}, {}};
  for (Index cell = 0; cell < mesh.cells(); ++cell)
    (centroid(mesh, cell)[0] < at ? low : high).entities.push_back(cell);
  mesh.groups.push_back(low);
  mesh.groups.push_back(high);
  return at;
}

SplitMesh split_halves(Mesh& mesh) {
  add_interface(mesh, *mesh.group("low", mesh.dim), *mesh.group("high", mesh.dim), "cut");
  const std::vector<Index> facets = mesh.group("cut", mesh.dim - 1)->entities;
  return split_along(mesh, "cut", facets);
}

TEST(Split, HalvesOfABoxShareNoNodes) {
  for (const Shape shape : cell_shapes)
    for (const int order : {1, 2}) {
      Mesh mesh = unit_box(shape, 3, order);
      const Index nodes = mesh.nodes(), facets = mesh.facets.size();
      const double before = measure(mesh);
      const double at = add_halves(mesh, 3);
      Index on_plane = 0;
      for (Index node = 0; node < nodes; ++node) on_plane += std::abs(mesh.point(node)[0] - at) < 1e-12;
      const SplitMesh split = split_halves(mesh);
      EXPECT_EQ(split.nodes, on_plane) << name(shape) << order;
      EXPECT_EQ(mesh.nodes(), nodes + on_plane) << name(shape) << order;
      EXPECT_EQ(mesh.facets.size(), facets + 2 * split.facets) << name(shape) << order;
      EXPECT_NEAR(measure(mesh), before, 1e-14);
      std::set<Index> low, high;
      for (const bool is_high : {false, true})
        for (const Index cell : mesh.group(is_high ? "high" : "low", mesh.dim)->entities) {
          const CellBlock& block = mesh.block_of(cell);
          for (int n = 0; n < block.nodes_per_cell; ++n)
            (is_high ? high : low).insert(block.cell(cell - block.first_cell)[n]);
        }
      for (const Index node : low) EXPECT_FALSE(high.contains(node)) << name(shape) << order;
      const Group& of_low = *mesh.group("cut_of_low", mesh.dim - 1);
      EXPECT_EQ(static_cast<Index>(of_low.entities.size()), split.facets);
      for (const Index facet : of_low.entities) {
        EXPECT_TRUE(mesh.facets.exterior[facet]);
        EXPECT_LT(centroid(mesh, mesh.facets.cell[facet])[0], at);
      }
      EXPECT_EQ(mesh.group("cut", mesh.dim - 1)->entities.size(), 2 * of_low.entities.size());
      EXPECT_EQ(mesh.box_cells[0], 0) << "it is no box any more";
      // The sides of the box keep their facets.
      const Mesh whole = unit_box(shape, 3, order);
      for (const Group& group : whole.groups)
        EXPECT_NEAR(measure(mesh, *mesh.group(group.name, group.dim)), measure(whole, group), 1e-14) << group.name;
      EXPECT_EQ(find_misfits(mesh).inside.count, 0);
    }
}

TEST(Split, NodesAtEndsInsideTheMeshStayOne) {
  Mesh mesh = unit_box(Shape::quad, 4);  // 4 by 5
  const double at = add_halves(mesh, 4);
  add_interface(mesh, *mesh.group("low", 2), *mesh.group("high", 2), "cut");
  Group joint{"joint", 1, {}, {}};
  for (const Index facet : mesh.group("cut", 1)->entities) {
    const FacetMap map(mesh, {mesh.facets.cell[facet], mesh.facets.side[facet]});
    if (std::min(map.x[0][1], map.x[1][1]) > 0.3) joint.entities.push_back(facet);
  }
  ASSERT_EQ(joint.entities.size(), 3u);  // from y = 0.4 to the top
  mesh.groups.push_back(joint);
  const SplitMesh split = split_along(mesh, "joint", joint.entities);
  EXPECT_EQ(split.facets, 3);
  EXPECT_EQ(split.nodes, 3);  // those at y = 0.6, 0.8 and 1
  Index at_end = 0;
  for (Index node = 0; node < mesh.nodes(); ++node)
    at_end += std::abs(mesh.point(node)[0] - at) < 1e-12 && std::abs(mesh.point(node)[1] - 0.4) < 1e-12;
  EXPECT_EQ(at_end, 1);
}

TEST(Split, WhatDoesNotComeApartIsRefused) {
  Mesh mesh = unit_box(Shape::quad, 4);
  EXPECT_THROW(split_along(mesh, "left", std::vector<Index>(mesh.group("left", 1)->entities)), Error);
  add_halves(mesh, 4);
  add_interface(mesh, *mesh.group("low", 2), *mesh.group("high", 2), "cut");
  std::vector<Index> inside;
  for (const Index facet : mesh.group("cut", 1)->entities) {
    const FacetMap map(mesh, {mesh.facets.cell[facet], mesh.facets.side[facet]});
    if (std::min(map.x[0][1], map.x[1][1]) > 0.3 && std::max(map.x[0][1], map.x[1][1]) < 0.7) inside.push_back(facet);
  }
  ASSERT_EQ(inside.size(), 1u);  // both of its vertices are ends
  EXPECT_THROW(split_along(mesh, "cut", inside), Error);
  Mesh apart = unit_box(Shape::quad, 4);
  apart.groups.push_back({"one", 2, {0}, {}});
  apart.groups.push_back({"far", 2, {11}, {}});
  EXPECT_THROW(add_interface(apart, *apart.group("one", 2), *apart.group("far", 2), "none"), Error);
}

TEST(Overlap, HalvesLieOnEachOtherFacetByFacet) {
  for (const Shape shape : cell_shapes) {
    Mesh mesh = unit_box(shape, 3);
    add_halves(mesh, 3);
    const SplitMesh split = split_halves(mesh);
    const std::vector<Overlap> overlaps = find_overlaps(mesh, mesh.group("cut_1", mesh.dim - 1)->entities,
                                                        mesh.group("cut_2", mesh.dim - 1)->entities, -1);
    Index whole = 0;
    for (const Overlap& overlap : overlaps) whole += overlap.whole;
    EXPECT_EQ(whole, split.facets) << name(shape);
    EXPECT_EQ(static_cast<Index>(overlaps.size()), split.facets) << name(shape);
  }
}

/// Two boxes of which the one lies on the other along x = 1, with facets of their own.
Mesh two_boxes(Shape shape, int n, int m) {
  Mesh mesh = unit_box(shape, n);
  const Mesh other = unit_box(shape, m);
  const Index nodes = mesh.nodes();
  Group low{"low", mesh.dim, {}, {}}, high{"high", mesh.dim, {}, {}};
  for (Index cell = 0; cell < mesh.cells(); ++cell) low.entities.push_back(cell);
  for (Index node = 0; node < other.nodes(); ++node)
    mesh.points.insert(mesh.points.end(), {other.point(node)[0] + 1, other.point(node)[1], other.point(node)[2]});
  for (const Index node : other.blocks[0].nodes) mesh.blocks[0].nodes.push_back(node + nodes);
  for (Index cell = static_cast<Index>(low.entities.size()); cell < mesh.cells(); ++cell) high.entities.push_back(cell);
  mesh.facets = {};
  mesh.groups = {low, high};
  mesh.box_cells.fill(0);
  find_exterior_facets(mesh);
  for (const char* side : {"first", "second"}) {
    Group group{side, mesh.dim - 1, {}, {}};
    for (Index f = 0; f < mesh.facets.size(); ++f) {
      const FacetMap map(mesh, {mesh.facets.cell[f], mesh.facets.side[f]});
      const bool on = std::abs(map.x[0][0] - 1) < 1e-12 && std::abs(map.normal[0]) > 0.99;
      if (on && (map.normal[0] > 0) == (std::string(side) == "first")) group.entities.push_back(f);
    }
    mesh.groups.push_back(group);
  }
  return mesh;
}

double area_of(const Overlap& overlap, int dim) {
  const auto& p = overlap.corners;
  if (dim == 2) return std::abs(p[1][0] - p[0][0]);
  double twice = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto &a = p[i], &b = p[(i + 1) % p.size()];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return twice / 2;
}

TEST(Overlap, PartsOfSidesThatDoNotMatchMakeUpTheSide) {
  for (const Shape shape : {Shape::triangle, Shape::quad, Shape::tet, Shape::hex, Shape::prism}) {
    const Mesh mesh = two_boxes(shape, 3, 4);
    double area = 0;
    for (const Overlap& overlap : find_overlaps(mesh, mesh.group("first", mesh.dim - 1)->entities,
                                                mesh.group("second", mesh.dim - 1)->entities, -1)) {
      EXPECT_FALSE(overlap.whole) << name(shape);
      area += area_of(overlap, mesh.dim);
    }
    EXPECT_NEAR(area, 1, 1e-12) << name(shape);
  }
}

TEST(Conformity, SidesThatAreMeantToTouchMay) {
  const Mesh mesh = two_boxes(Shape::quad, 3, 4);
  EXPECT_THROW(check_conformity(mesh, false), Error);
  const std::vector<std::string> both{"first", "second"}, one{"first"};
  EXPECT_NO_THROW(check_conformity(mesh, false, both));
  EXPECT_THROW(check_conformity(mesh, false, one), Error);
}

}  // namespace
}  // namespace tessera::mesh
