// Meshes that come apart along facets inside of them, and sides that lie on each other.
#include "mesh/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

/// Of one cut.
SplitMesh split_along(Mesh& mesh, const std::string& name, const std::vector<Index>& facets) {
  const std::vector<Seam> cuts{{name, facets}};
  return mesh::split_along(mesh, cuts);
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
      EXPECT_EQ(mesh.facets.size(), facets + 2 * split.cuts[0].apart) << name(shape) << order;
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
      EXPECT_EQ(static_cast<Index>(of_low.entities.size()), split.cuts[0].apart);
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
  EXPECT_EQ(split.cuts[0].apart, 3);
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

/// The box with its parts "a", "b" and "rest" of cells, of which each touches both others, and the three cuts.
std::vector<Seam> three_parts(Mesh& mesh, const std::vector<std::array<const char*, 2>>& order) {
  Group a{"a", 3, {}, {}}, b{"b", 3, {}, {}}, rest{"rest", 3, {}, {}};
  for (Index cell = 0; cell < mesh.cells(); ++cell) {
    const auto x = centroid(mesh, cell);
    (x[1] > 0.5 || x[2] < 0.5 ? rest : x[0] < 0.5 ? a : b).entities.push_back(cell);
  }
  mesh.groups.insert(mesh.groups.end(), {a, b, rest});
  std::vector<Seam> cuts;
  for (const auto& [first, second] : order) {
    cuts.push_back({std::string(first) + "_" + second, {}});
    add_interface(mesh, *mesh.group(first, 3), *mesh.group(second, 3), cuts.back().name);
  }
  for (Seam& cut : cuts) cut.facets = mesh.group(cut.name, 2)->entities;
  return cuts;
}

Mesh even_box(Shape shape, int order = 1) {
  BoxParams params;
  params.shape = name(shape);
  params.cells = {4, 4, 4};
  return make_box(params, order);
}

TEST(Split, CutsThatMeetComeApartWholeInAnyOrder) {
  const std::array<const char*, 2> ab{"a", "b"}, ar{"a", "rest"}, br{"b", "rest"};
  for (const Shape shape : {Shape::tet, Shape::hex, Shape::prism})
    for (const int order : {1, 2})
      for (const auto& cuts_in : {std::vector{ab, ar, br}, std::vector{ar, br, ab}, std::vector{br, ab, ar}}) {
        Mesh mesh = even_box(shape, order);
        const std::vector<Seam> cuts = three_parts(mesh, cuts_in);
        const SplitMesh split = mesh::split_along(mesh, cuts);
        for (std::size_t c = 0; c < cuts.size(); ++c) {
          EXPECT_EQ(split.cuts[c].glued, 0) << name(shape) << cuts[c].name;
          EXPECT_EQ(split.cuts[c].apart, static_cast<Index>(cuts[c].facets.size())) << name(shape) << cuts[c].name;
        }
        std::array<std::set<Index>, 3> nodes;
        for (std::size_t part = 0; part < 3; ++part)
          for (const Index cell : mesh.group(part == 0 ? "a" : part == 1 ? "b" : "rest", 3)->entities) {
            const CellBlock& block = mesh.block_of(cell);
            const Index* const first = block.cell(cell - block.first_cell);
            nodes[part].insert(first, first + block.nodes_per_cell);
          }
        EXPECT_EQ(static_cast<Index>(nodes[0].size() + nodes[1].size() + nodes[2].size()), mesh.nodes())
            << name(shape) << order;
      }
}

/// A patch inside a box of tetrahedra: facets in its corners have no vertex but at its rim.
TEST(Split, FacetsThatStayOneAreCountedAndShareAllNodes) {
  for (const int order : {1, 2}) {
    Mesh mesh = even_box(Shape::tet, order);
    const double at = add_halves(mesh, 4);
    add_interface(mesh, *mesh.group("low", 3), *mesh.group("high", 3), "plane");
    Group patch{"patch", 2, {}, {}};
    for (const Index facet : mesh.group("plane", 2)->entities) {
      const FacetMap map(mesh, {mesh.facets.cell[facet], mesh.facets.side[facet]});
      const auto x = map.straight().at(std::array{1.0 / 3, 1.0 / 3}.data());
      if (std::abs(x[1] - 0.5) < 0.25 && std::abs(x[2] - 0.5) < 0.25) patch.entities.push_back(facet);
    }
    ASSERT_EQ(patch.entities.size(), 8u);
    mesh.groups.push_back(patch);
    const double whole = measure(mesh, patch);
    const std::vector<Seam> cuts{{"patch", patch.entities}};
    const SplitMesh split = mesh::split_along(mesh, cuts);
    ASSERT_GT(split.cuts[0].glued, 0);
    EXPECT_EQ(split.cuts[0].glued + split.cuts[0].apart, 8);
    EXPECT_NEAR(split.cuts[0].glued_area, whole * split.cuts[0].glued / 8, 1e-14);
    Index inside = 0;
    for (const Index facet : mesh.group("patch", 2)->entities) {
      if (mesh.facets.exterior[facet]) continue;
      ++inside;
      const SidePair pair = sides_of(mesh, std::vector<Index>{facet})[0];
      ASSERT_GE(pair.second.cell, 0);
      std::array<std::set<Index>, 2> nodes;
      for (const bool second : {false, true}) {
        const CellSide& side = second ? pair.second : pair.first;
        const CellBlock& block = mesh.block_of(side.cell);
        for (const auto local : facet_nodes(block.shape, side.side, block.order))
          nodes[second].insert(block.cell(side.cell - block.first_cell)[local]);
      }
      EXPECT_EQ(nodes[0], nodes[1]) << "order " << order;
    }
    EXPECT_EQ(inside, split.cuts[0].glued);
    EXPECT_NEAR(at, 0.5, 1e-15);
  }
}

TEST(Split, PointsAndCurvesHaveAllOfTheirCopies) {
  for (const Shape shape : {Shape::tet, Shape::hex, Shape::prism}) {
    Mesh mesh = even_box(shape);
    const double at = add_halves(mesh, 4);
    const auto is = [&](Index node, double y, double z) {
      const double* const x = mesh.point(node);
      return std::abs(x[0] - at) + std::abs(x[1] - y) + std::abs(x[2] - z) < 1e-12;
    };
    Group point{"point", 0, {}, {}}, curve{"curve", 1, {}, {-1, -1}};
    for (Index node = 0; node < mesh.nodes(); ++node) {
      if (is(node, 0, 0)) point.vertices.push_back(node), curve.vertices[0] = node;
      if (is(node, 0.25, 0)) curve.vertices[1] = node;
    }
    mesh.groups.push_back(point);
    mesh.groups.push_back(curve);
    split_halves(mesh);
    const std::vector<Index>& points = mesh.group("point", 0)->vertices;
    ASSERT_EQ(points.size(), 2u) << name(shape);
    EXPECT_NE(points[0], points[1]);
    for (const Index node : points) EXPECT_TRUE(is(node, 0, 0));
    const std::vector<Index>& ends = mesh.group("curve", 1)->vertices;
    ASSERT_EQ(ends.size(), 4u) << name(shape);
    EXPECT_EQ((std::set<Index>(ends.begin(), ends.end()).size()), 4u);
    const auto all = edges(mesh);
    for (std::size_t v = 0; v < 4; v += 2)
      EXPECT_TRUE(std::binary_search(all.begin(), all.end(),
                                     std::array{std::min(ends[v], ends[v + 1]), std::max(ends[v], ends[v + 1])}));
  }
}

TEST(Split, NamesThatAreTakenAreRefused) {
  for (const char* taken : {"cut", "cut_1", "cut_2", "cut_of_high"})
    for (const bool entity : {false, true}) {
      Mesh mesh = unit_box(Shape::quad, 4);
      (entity ? mesh.entities : mesh.groups).push_back({taken, 1, {0}, {}});
      add_halves(mesh, 4);
      EXPECT_THROW(split_halves(mesh), Error) << taken;
    }
}

TEST(Split, AFacetComesApartOnce) {
  Mesh mesh = unit_box(Shape::quad, 4);
  add_halves(mesh, 4);
  add_interface(mesh, *mesh.group("low", 2), *mesh.group("high", 2), "cut");
  const std::vector<Index> facets = mesh.group("cut", 1)->entities;
  const std::vector<Seam> twice{{"cut", facets}, {"again", {facets[0]}}};
  EXPECT_THROW(mesh::split_along(mesh, twice), Error);
}

TEST(Split, CopiesAreFoundWithoutASearch) {
  for (const Shape shape : cell_shapes) {
    Mesh mesh = unit_box(shape, 3);
    add_halves(mesh, 3);
    const SplitMesh split = split_halves(mesh);
    const std::vector<Overlap> found =
        find_copies(mesh, mesh.group("cut_1", mesh.dim - 1)->entities, mesh.group("cut_2", mesh.dim - 1)->entities);
    ASSERT_EQ(static_cast<Index>(found.size()), split.cuts[0].apart) << name(shape);
    for (const Overlap& overlap : found) {
      EXPECT_TRUE(overlap.whole);
      const FacetMap ours(mesh, {mesh.facets.cell[overlap.first], mesh.facets.side[overlap.first]});
      const FacetMap theirs(mesh, {mesh.facets.cell[overlap.second], mesh.facets.side[overlap.second]});
      for (int v = 0; v < ours.vertices(); ++v)
        EXPECT_NE(std::find(theirs.x.begin(), theirs.x.begin() + theirs.vertices(), ours.x[v]),
                  theirs.x.begin() + theirs.vertices());
    }
  }
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
    EXPECT_EQ(whole, split.cuts[0].apart) << name(shape);
    EXPECT_EQ(static_cast<Index>(overlaps.size()), split.cuts[0].apart) << name(shape);
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
