// Meshes whose cells do not fit together, and those that only look so.
#include "mesh/conformity.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "mesh/elevate.hpp"
#include "mesh/geometry.hpp"
#include "mesh/gmsh_files.hpp"
#include "mesh/meshes.hpp"

namespace tessera::mesh {
namespace {

using testing::cell_shapes;
using testing::mixed_mesh;
using testing::unit_box;

Mesh box(Shape shape, std::vector<double> low, std::vector<double> high, std::vector<int> cells, int order = 1) {
  BoxParams params;
  params.shape = name(shape);
  params.min = std::move(low);
  params.max = std::move(high);
  params.cells = std::move(cells);
  return make_box(params, order);
}

/// Both meshes in one, without shared nodes; facet groups keep their names with "2" after those of the second.
Mesh both(const Mesh& a, const Mesh& b) {
  Mesh mesh;
  mesh.dim = a.dim;
  mesh.order = a.order;
  mesh.points = a.points;
  mesh.points.insert(mesh.points.end(), b.points.begin(), b.points.end());
  mesh.blocks = a.blocks;
  for (CellBlock block : b.blocks) {
    for (Index& node : block.nodes) node += a.nodes();
    block.first_cell += a.cells();
    mesh.blocks.push_back(block);
  }
  std::vector<NamedFacets> named;
  for (const Mesh* part : {&a, &b})
    for (const Group& group : part->groups) {
      if (group.dim != a.dim - 1) continue;
      named.push_back({group.name + (part == &b ? "2" : ""), {}});
      for (const Index f : group.entities) {
        FacetVertices facet = side_vertices(*part, part->facets.cell[f], part->facets.side[f]);
        for (Index& v : facet) v = v < 0 || part == &a ? v : v + a.nodes();
        named.back().facets.push_back(facet);
      }
    }
  set_facets(mesh, named);
  return mesh;
}

/// n intervals along every axis of [0,1]^dim but the first, and two from x = `from` on for one unit.
Mesh part(Shape shape, double from, int n, int order = 1) {
  const std::size_t dim = static_cast<std::size_t>(dimension(shape));
  std::vector<double> low(dim, 0.0), high(dim, 1.0);
  low[0] = from;
  high[0] = from + 1;
  std::vector<int> cells(dim, n);
  cells[0] = 2;
  return box(shape, low, high, cells, order);
}

TEST(Conformity, BoxesOfEveryShapeAndMixedCellsFit) {
  for (const Shape shape : cell_shapes)
    for (const int order : {1, 2}) EXPECT_TRUE(find_misfits(unit_box(shape, 3, order)).none()) << name(shape);
  EXPECT_TRUE(find_misfits(mixed_mesh()).none());
}

TEST(Conformity, ThinLayersAndGradedMeshesFit) {
  for (const Shape shape : {Shape::tet, Shape::hex, Shape::prism}) {
    EXPECT_TRUE(find_misfits(box(shape, {0, 0, 0}, {1, 1, 1e-8}, {4, 4, 1})).none()) << name(shape);
    Mesh graded = unit_box(shape, 8);
    for (double& x : graded.points) x = std::pow(x, 12);  // sizes from 1e-11 to 0.8
    EXPECT_TRUE(find_misfits(graded).none()) << name(shape);
  }
  Mesh far = box(Shape::triangle, {5e6, 5e6}, {5e6 + 1, 5e6 + 1}, {20, 20});
  EXPECT_TRUE(find_misfits(far).none());
}

TEST(Conformity, PartsThatTouchWithoutSharedNodesAreFound) {
  for (const Shape shape : cell_shapes)
    for (const int order : {1, 2}) {
      const Mesh mesh = both(part(shape, 0, 3, order), part(shape, 1, 3, order));
      const Misfits misfits = find_misfits(mesh);
      const Index on_side = std::array{1, 4, 16}[mesh.dim - 1];
      EXPECT_EQ(misfits.coincident.count, 2 * on_side) << name(shape);
      EXPECT_EQ(misfits.hanging.count, 0) << name(shape);
      EXPECT_EQ(misfits.inside.count, 0) << name(shape);
      EXPECT_EQ(mesh.point(misfits.coincident.vertex)[0], 1);
      std::string text;
      EXPECT_EQ(thrown_code([&] { check_conformity(mesh, false); }, &text), ExitCode::mesh);
      EXPECT_NE(text.find("at (1, 0, 0)"), std::string::npos) << text;
      EXPECT_NE(text.find("mesh.merge_nodes"), std::string::npos) << text;
      EXPECT_EQ(thrown_code([&] { check_conformity(mesh, true); }), ExitCode::ok);
    }
}

TEST(Conformity, HangingVerticesAreFoundOnSidesAndEdges) {
  for (const Shape shape : {Shape::triangle, Shape::quad, Shape::tet, Shape::hex, Shape::prism})
    for (const int order : {1, 2}) {
      const Mesh mesh = both(part(shape, 0, 2, order), part(shape, 1, 3, order));
      const Misfits misfits = find_misfits(mesh);
      const int dim = mesh.dim;  // of 3^(dim-1) and 4^(dim-1) vertices on the interface 2^(dim-1) coincide
      EXPECT_EQ(misfits.coincident.count, 2 * (dim == 2 ? 2 : 4)) << name(shape);
      EXPECT_EQ(misfits.hanging.count, dim == 2 ? 1 + 2 : 5 + 12) << name(shape);
      EXPECT_EQ(misfits.inside.count, 0) << name(shape);
      std::string text;
      EXPECT_EQ(thrown_code([&] { check_conformity(mesh, false); }, &text), ExitCode::mesh);
      EXPECT_NE(text.find("hanging vertices"), std::string::npos) << text;
      EXPECT_EQ(thrown_code([&] { check_conformity(mesh, true); }), ExitCode::ok);
    }
}

TEST(Conformity, AHangingVertexOfSharedNodesIsFound) {
  // Two quads on the right of one; they share its corners, so that only (1, 0.5) hangs.
  Mesh mesh;
  mesh.dim = 2;
  mesh.points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, .5, 0, 2, 0, 0, 2, .5, 0, 2, 1, 0};
  mesh.blocks = {{Shape::quad, 1, 4, {0, 1, 2, 3, 1, 5, 6, 4, 4, 6, 7, 2}, 0}};
  find_exterior_facets(mesh);
  const Misfits misfits = find_misfits(mesh);
  EXPECT_EQ(misfits.hanging.count, 1);
  EXPECT_EQ(misfits.hanging.vertex, 4);
  EXPECT_EQ(misfits.hanging.other, 0);
  EXPECT_EQ(misfits.coincident.count + misfits.inside.count, 0);
}

TEST(Conformity, OverlapsAreFoundEvenWhereOneBodyLiesInsideAnother) {
  for (const Shape shape : cell_shapes) {
    const Mesh mesh = both(part(shape, 0, 3), part(shape, 0.7, 3));
    EXPECT_GT(find_misfits(mesh).inside.count, 0) << name(shape);
    for (const bool allow : {false, true}) {
      std::string text;
      EXPECT_EQ(thrown_code([&] { check_conformity(mesh, allow); }, &text), ExitCode::mesh);
      EXPECT_NE(text.find("cells overlap"), std::string::npos) << text;
    }
  }
  const Mesh nested = both(unit_box(Shape::tet, 4), box(Shape::hex, {.3, .3, .3}, {.6, .7, .65}, {2, 2, 2}));
  EXPECT_EQ(find_misfits(nested).inside.count, 26);
}

TEST(Conformity, CellsThatStandTwiceAreRefused) {
  Mesh mesh = unit_box(Shape::triangle, 1);
  CellBlock& block = mesh.blocks.front();
  block.nodes.resize(3);
  block.nodes.insert(block.nodes.end(), {block.nodes[1], block.nodes[2], block.nodes[0]});
  mesh.groups.clear();
  mesh.facets = {};
  std::string text;
  EXPECT_EQ(thrown_code([&] { find_exterior_facets(mesh); }, &text), ExitCode::mesh);
  EXPECT_NE(text.find("cells 0 and 1 lie on the same side"), std::string::npos) << text;
}

TEST(Conformity, GapsAreNoContact) {
  for (const Shape shape : cell_shapes)
    EXPECT_TRUE(find_misfits(both(part(shape, 0, 3), part(shape, 1 + 1e-4, 3))).none()) << name(shape);
}

TEST(MergeNodes, MakesOneMeshOfTouchingParts) {
  for (const Shape shape : cell_shapes)
    for (const int order : {1, 2}) {
      Mesh mesh = both(part(shape, 0, 3, order), part(shape, 1, 3, order));
      const Index nodes = mesh.nodes(), facets = mesh.facets.size();
      const Index gone = merge_nodes(mesh, 1e-9);
      const int on_axis = order * 3 + 1;
      EXPECT_EQ(gone, mesh.dim == 1 ? 1 : mesh.dim == 2 ? on_axis : on_axis * on_axis) << name(shape);
      EXPECT_EQ(mesh.nodes(), nodes - gone);
      EXPECT_TRUE(find_misfits(mesh).none()) << name(shape);
      EXPECT_NEAR(measure(mesh), 2, 1e-12);
      const Group* right = mesh.group("right", mesh.dim - 1);
      const Group* left = mesh.group("left2", mesh.dim - 1);
      ASSERT_TRUE(right && left);
      EXPECT_EQ(right->entities, left->entities);  // one interior side now, which both name
      EXPECT_EQ(mesh.facets.size(), facets - static_cast<Index>(right->entities.size()));
      for (const Index f : right->entities) EXPECT_FALSE(mesh.facets.exterior[f]);
      EXPECT_NEAR(measure(mesh, *mesh.group("right2", mesh.dim - 1)), 1, 1e-12);
    }
}

TEST(MergeNodes, CarriesEntitiesAsItCarriesGroups) {
  Mesh mesh = both(part(Shape::tet, 0, 3, 1), part(Shape::tet, 1, 3, 1));
  mesh.entities = std::move(mesh.groups);
  mesh.groups.clear();
  ASSERT_GT(merge_nodes(mesh, 1e-9), 0);
  EXPECT_TRUE(mesh.groups.empty());
  const Group* right = mesh.group("right", 2);
  const Group* left = mesh.group("left2", 2);
  ASSERT_TRUE(right && left);
  EXPECT_EQ(right->entities, left->entities);
  EXPECT_NEAR(measure(mesh, *mesh.group("right2", 2)), 1, 1e-12);
}

TEST(MergeNodes, RefusesALengthThatEatsCells) {
  Mesh mesh = unit_box(Shape::tet, 4);
  std::string text;
  EXPECT_EQ(thrown_code([&] { merge_nodes(mesh, 0.3); }, &text), ExitCode::mesh);
  EXPECT_NE(text.find("choose a smaller length"), std::string::npos) << text;
}

}  // namespace
}  // namespace tessera::mesh
