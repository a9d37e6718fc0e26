// Layers of cells that grow outward from plane sides.
#include "mesh/grow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "mesh/conformity.hpp"
#include "mesh/geometry.hpp"
#include "mesh/meshes.hpp"
#include "mesh/numbering.hpp"
#include "mesh/quality.hpp"
#include "mesh/refine.hpp"

namespace tessera::mesh {
namespace {

using testing::shuffled;
using testing::unit_box;

Growth growth(const Mesh& mesh, const std::string& side, int layers, std::optional<double> thickness = {}) {
  return {.of = side,
          .facets = mesh.group(side, mesh.dim - 1)->entities,
          .layers = layers,
          .thickness = thickness,
          .where = {}};
}

/// Cells turned and numbered in any way, as in meshes of others: each begins at another of its vertices.
void turn_cells(Mesh& mesh) {
  CellBlock& block = mesh.blocks.front();
  Mesh straight = mesh;
  for (Index c = 0; c < block.cells(); ++c) {
    const auto turned = [&](std::array<double, 3> x) {
      for (int turn = 0; turn < c % 4; ++turn) x = {-x[1], x[0], x[2]};
      if (mesh.dim == 3 && c % 3 == 1) x = {x[2], x[0], x[1]};
      return x;
    };
    const auto nodes = reference_nodes(block.shape, block.order);
    const auto dim = static_cast<std::size_t>(mesh.dim);
    const auto count = static_cast<std::size_t>(block.nodes_per_cell);
    const Index* const from = straight.blocks.front().cell(c);
    for (std::size_t i = 0; i < count; ++i) {
      std::array<double, 3> x{};
      std::copy_n(&nodes[i * dim], dim, x.begin());
      x = turned(x);
      for (std::size_t j = 0; j < count; ++j)
        if (std::equal(&nodes[j * dim], &nodes[j * dim] + dim, x.begin()))
          block.nodes[static_cast<std::size_t>(c) * count + i] = from[j];
    }
  }
  // Facets are sides of the turned cells: they are found anew by their vertices.
  std::vector<FacetVertices> vertices;
  for (Index f = 0; f < straight.facets.size(); ++f)
    vertices.push_back(side_vertices(straight, straight.facets.cell[f], straight.facets.side[f]));
  const std::vector<Side> sides = match_facets(mesh, vertices);
  for (Index f = 0; f < mesh.facets.size(); ++f) mesh.facets.side[f] = sides[static_cast<std::size_t>(f)].side;
  std::vector<Index> order(sides.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::pair(mesh.facets.cell[a], mesh.facets.side[a]) < std::pair(mesh.facets.cell[b], mesh.facets.side[b]);
  });
  const Facets old = mesh.facets;
  std::vector<Index> number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    number[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
    mesh.facets.cell[i] = old.cell[order[i]];
    mesh.facets.side[i] = old.side[order[i]];
    mesh.facets.exterior[i] = old.exterior[order[i]];
  }
  for (Group& group : mesh.groups) {
    if (group.dim != mesh.dim - 1) continue;
    for (Index& facet : group.entities) facet = number[facet];
    std::sort(group.entities.begin(), group.entities.end());
  }
}

double measure_of(const Mesh& mesh, const std::string& name, int dim) { return measure(mesh, *mesh.group(name, dim)); }

/// What find_exterior_facets and the readers of files would have made: facets sorted, each exterior side once.
void expect_whole(Mesh mesh) {
  const Facets facets = mesh.facets;
  const std::vector<Group> groups = mesh.groups;
  find_exterior_facets(mesh);
  EXPECT_EQ(mesh.facets.cell, facets.cell);
  EXPECT_EQ(mesh.facets.side, facets.side);
  EXPECT_EQ(mesh.facets.exterior, facets.exterior);
  for (std::size_t g = 0; g < groups.size(); ++g)
    EXPECT_EQ(mesh.groups[g].entities, groups[g].entities) << groups[g].name;
  EXPECT_TRUE(find_misfits(mesh).none());
  EXPECT_GT(quality(mesh).min, 0.1);
  EXPECT_EQ(quality(mesh).inverted, 0);
}

/// The unit square or cube with layers of a quarter of its length on three sides, which meet in corners.
TEST(Grow, FillsCornersOfSidesThatMeetWhateverWayCellsAreTurned) {
  for (const Shape shape : {Shape::quad, Shape::hex})
    for (const int order : {1, 2})
      for (const bool turned : {false, true}) {
        SCOPED_TRACE(std::string(name(shape)) + std::to_string(order) + (turned ? " turned" : ""));
        Mesh mesh = unit_box(shape, 2, order);
        if (turned) turn_cells(mesh);
        const int dim = mesh.dim;
        std::vector<Growth> sides{growth(mesh, "left", 2, 0.25), growth(mesh, "top", 1, 0.25)};
        if (dim == 3) sides.push_back(growth(mesh, "front", 3, 0.25));
        sides.push_back(growth(mesh, "right", 1, 0.25));
        grow(mesh, sides, "grown");
        expect_whole(mesh);
        EXPECT_EQ(mesh.box_cells[0], 0);
        const double across = 1.25, length = 1.5;  // of y and z, and of x
        EXPECT_EQ(mesh.cells(), dim == 2 ? 5 * 4 : 5 * 4 * 7);
        EXPECT_EQ(mesh.nodes(),
                  dim == 2 ? (5 * order + 1) * (4 * order + 1) : (5 * order + 1) * (4 * order + 1) * (7 * order + 1));
        const double volume = length * across * (dim == 3 ? across : 1), side = dim == 3 ? across : 1;
        EXPECT_NEAR(measure_of(mesh, "domain", dim), volume, 1e-12);
        EXPECT_NEAR(measure_of(mesh, "grown", dim), volume - 1, 1e-12);
        EXPECT_NEAR(measure_of(mesh, "left", dim - 1), across * side, 1e-12);
        EXPECT_NEAR(measure_of(mesh, "right", dim - 1), across * side, 1e-12);
        EXPECT_NEAR(measure_of(mesh, "bottom", dim - 1), length * side, 1e-12);
        EXPECT_NEAR(measure_of(mesh, "top", dim - 1), length * side, 1e-12);
        const BoundingBox box = bounding_box(mesh);
        EXPECT_DOUBLE_EQ(box.min[0], -0.25);
        EXPECT_DOUBLE_EQ(box.max[0], 1.25);
        EXPECT_DOUBLE_EQ(box.max[1], 1.25);
        EXPECT_EQ(mesh.box_min[0], 0);
        EXPECT_EQ(mesh.box_max[1], 1);
        for (const Index facet : mesh.group("left", dim - 1)->entities)
          EXPECT_NEAR(mesh.point(side_vertices(mesh, mesh.facets.cell[facet], mesh.facets.side[facet])[0])[0], -0.25,
                      1e-15);
      }
}

/// Without a thickness layers are as thick as the cells at the side.
TEST(Grow, MakesCellsOfTheMeanSizeAtTheSide) {
  Mesh mesh = unit_box(Shape::quad, 4);
  for (Index node = 0; node < mesh.nodes(); ++node)
    if (std::abs(mesh.point(node)[0] - 0.25) < 1e-9)
      mesh.points[3 * static_cast<std::size_t>(node)] += 0.1 * (mesh.point(node)[1] > 0.5);
  // Of five rows along y those between 0.6 and 1 are 0.35 thick, one is between.
  grow(mesh, std::vector<Growth>{growth(mesh, "left", 3)}, "grown");
  EXPECT_NEAR(bounding_box(mesh).min[0], -3 * (2 * 0.25 + 3 * 0.35) / 5, 1e-12);
  expect_whole(mesh);
}

/// Groups of cells and of facets inside the mesh go on, as entities do.
TEST(Grow, ContinuesGroupsOfCellsAndWhatLiesBetweenThem) {
  Mesh mesh = unit_box(Shape::quad, 2);  // three rows
  Group low{"low", 2, {}, {}}, high{"high", 2, {}, {}};
  for (Index cell = 0; cell < mesh.cells(); ++cell)
    (centroid(mesh, cell)[1] < 0.3 ? low : high).entities.push_back(cell);
  std::vector<FacetVertices> between;
  const auto at = [&](double x) {
    for (Index node = 0; node < mesh.nodes(); ++node)
      if (std::abs(mesh.point(node)[0] - x) < 1e-9 && std::abs(mesh.point(node)[1] - 1.0 / 3) < 1e-9) return node;
    return Index{-1};
  };
  between = {{at(0), at(0.5), -1, -1}, {at(0.5), at(1), -1, -1}};
  std::vector<NamedFacets> named{{"between", between}};
  for (const char* side : {"left", "bottom"}) {
    NamedFacets of{side, {}};
    for (const Index facet : mesh.group(side, 1)->entities)
      of.facets.push_back(side_vertices(mesh, mesh.facets.cell[facet], mesh.facets.side[facet]));
    named.push_back(of);
  }
  named.push_back({"curve_7", between, true});
  mesh.facets = {};
  mesh.groups.clear();
  set_facets(mesh, named);
  mesh.entities.push_back(low);
  mesh.entities.push_back(high);
  grow(mesh, std::vector<Growth>{growth(mesh, "left", 2, 1.0)}, "grown");
  expect_whole(mesh);
  EXPECT_NEAR(measure_of(mesh, "between", 1), 2, 1e-12);
  EXPECT_NEAR(measure_of(mesh, "curve_7", 1), 2, 1e-12);
  EXPECT_NEAR(measure_of(mesh, "bottom", 1), 2, 1e-12);
  EXPECT_NEAR(measure_of(mesh, "low", 2), 2.0 / 3, 1e-12);
  EXPECT_NEAR(measure_of(mesh, "high", 2), 4.0 / 3, 1e-12);
  ASSERT_NE(mesh.group("grown", 2), nullptr);
  EXPECT_EQ(mesh.groups.back().dim, 1);  // the mesh has no groups of cells: it is an entity
}

/// Where a side ends at more than one cell, new sides of the mesh go on from those beside it, not from what lies
/// inside.
TEST(Grow, ContinuesSidesOfTheMeshAtItsRimAlone) {
  Mesh mesh;
  mesh.dim = 2;
  mesh.points = {0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0.5, -1, 0, 1.5, -1, 0};
  CellBlock& block = mesh.blocks.emplace_back();
  block.shape = Shape::quad;
  block.nodes_per_cell = 4;
  block.nodes = {0, 3, 2, 1, 0, 4, 5, 3};
  set_facets(mesh, {{"left", {{0, 1, -1, -1}}}, {"low", {{0, 4, -1, -1}}}, {"between", {{0, 3, -1, -1}}}});
  grow(mesh, std::vector<Growth>{growth(mesh, "left", 2, 1.0)}, "grown");
  expect_whole(mesh);
  EXPECT_NEAR(measure_of(mesh, "low", 1), std::sqrt(1.25) + 1, 1e-12);
  EXPECT_NEAR(measure_of(mesh, "between", 1), 1, 1e-12);
}

/// Irregular cells and numbers, and afterwards others.
TEST(Grow, KeepsMeshesWholeUnderOtherNumbers) {
  Mesh mesh = refine(unit_box(Shape::hex, 2, 2));
  renumber_nodes(mesh, shuffled(mesh.nodes()));
  grow(mesh, std::vector<Growth>{growth(mesh, "back", 2), growth(mesh, "top", 2)}, "grown");
  expect_whole(mesh);
  const double volume = measure_of(mesh, "domain", 3);
  renumber_rcm(mesh);
  expect_whole(mesh);
  EXPECT_NEAR(measure_of(mesh, "domain", 3), volume, 1e-12);
}

template <class Make>
void expect_refused(Make make, const std::string& what, ExitCode code = ExitCode::usage) {
  try {
    make();
    FAIL() << "not refused: " << what;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
  }
}

TEST(Grow, RefusesWhatIsNoSideToGrowFrom) {
  const auto of = [](Mesh mesh, const std::string& side) {
    grow(mesh, std::vector<Growth>{growth(mesh, side, 3)}, "grown");
  };
  expect_refused([&] { of(unit_box(Shape::triangle, 2), "left"); }, "left: the mesh has 12 triangle cells");
  Mesh slanted = unit_box(Shape::quad, 2);
  for (Index node = 0; node < slanted.nodes(); ++node)
    slanted.points[3 * static_cast<std::size_t>(node)] += 0.1 * slanted.point(node)[1];
  expect_refused([&] { of(slanted, "left"); }, "left: the side is curved or slanted");
  Mesh curved = unit_box(Shape::quad, 2, 2);
  for (Index node = 0; node < curved.nodes(); ++node)
    if (curved.point(node)[0] == 0 && std::abs(curved.point(node)[1] - 0.5) < 1e-9)
      curved.points[3 * static_cast<std::size_t>(node)] = -0.01;
  expect_refused([&] { of(curved, "left"); }, "curved or slanted");
  Mesh half = unit_box(Shape::quad, 2);
  half.groups.push_back({"part", 1, {half.group("left", 1)->entities.front()}, {}});
  expect_refused([&] { of(half, "part"); }, "part: it names 1 of the 3 facets at x = 0");
  Mesh taken = unit_box(Shape::quad, 2);
  taken.groups.push_back({"grown", 2, {0}, {}});
  expect_refused([&] { of(taken, "left"); }, "has a group 'grown' already");
  Mesh twice = unit_box(Shape::quad, 2);
  expect_refused(
      [&] {
        grow(twice, std::vector<Growth>{growth(twice, "left", 3), growth(twice, "left", 2)}, "grown");
      },
      "a layer grows out of x = 0 already");
}

}  // namespace
}  // namespace tessera::mesh
