#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "mesh/adjacency.hpp"
#include "mesh/geometry.hpp"
#include "meshes.hpp"

namespace tessera::mesh {
namespace {

using testing::cell_shapes;
using testing::mixed_mesh;
using testing::unit_box;

TEST(Facets, ExteriorOnesCoverTheSurfaceOfABox) {
  for (Shape shape : cell_shapes)
    for (int order : {1, 2}) {
      Mesh mesh = unit_box(shape, 3, order);
      mesh.facets = {};
      std::erase_if(mesh.groups, [&](const Group& g) { return g.dim == mesh.dim - 1; });
      find_exterior_facets(mesh);
      double area = 0;
      for (Index f = 0; f < mesh.facets.size(); ++f) {
        area += facet_measure(mesh, f);
        EXPECT_EQ(mesh.facets.exterior[f], 1);
        if (f > 0) {
          EXPECT_LT(std::pair(mesh.facets.cell[f - 1], mesh.facets.side[f - 1]),
                    std::pair(mesh.facets.cell[f], mesh.facets.side[f]));
        }
      }
      EXPECT_NEAR(area, 2 * mesh.dim, 1e-12) << name(shape);
    }
}

TEST(Facets, SearchKeepsWhatGroupsPointAt) {
  Mesh mesh = mixed_mesh();
  const Facets before = mesh.facets;
  const auto groups = mesh.groups;
  find_exterior_facets(mesh);
  EXPECT_EQ(mesh.facets.cell, before.cell);
  EXPECT_EQ(mesh.facets.side, before.side);
  EXPECT_EQ(mesh.groups[0].entities, groups[0].entities);
}

TEST(Facets, InteriorNamedFacetBelongsToTheLowerCell) {
  const Mesh mesh = mixed_mesh();
  const Group& between = *mesh.group("between", 2);
  ASSERT_EQ(between.entities.size(), 2u);
  EXPECT_EQ(mesh.facets.cell[between.entities[0]], 0);
  EXPECT_EQ(mesh.facets.cell[between.entities[1]], 1);
  for (Index f : between.entities) EXPECT_EQ(mesh.facets.exterior[f], 0);
  // 6 + 5 + 4 sides, two pairs of which are shared
  EXPECT_EQ(mesh.facets.size(), 15 - 4 + 2);
  EXPECT_NEAR(measure(mesh, between), 1.5, 1e-14);
}

TEST(Facets, FacetsWithoutCellAreCounted) {
  Mesh mesh = mixed_mesh();
  mesh.facets = {};
  mesh.groups.clear();
  EXPECT_EQ(set_facets(mesh, {{"lid", {{0, 1, 10, -1}, {0, 1, 2, 3}}}}), std::vector<Offset>{1});
  EXPECT_EQ(mesh.groups.at(0).entities.size(), 1u);
}

TEST(Facets, ThreeCellsOnOneFacetAreRefused) {
  Mesh mesh;
  mesh.points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3};
  mesh.blocks = {{Shape::tet, 1, 4, {0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 2, 5}, 0}};
  EXPECT_THROW(find_exterior_facets(mesh), Error);
}

TEST(Facets, EulerCharacteristicOfBoxesIsOne) {
  for (Shape shape : cell_shapes) {
    const Mesh mesh = unit_box(shape, 3);
    const auto edge_list = edges(mesh);
    EXPECT_EQ((std::set<std::array<Index, 2>>(edge_list.begin(), edge_list.end()).size()), edge_list.size());
    const auto dual = cell_cells(mesh);
    Offset euler = mesh.nodes() - static_cast<Offset>(edge_list.size());
    const Offset interior = static_cast<Offset>(dual.items.size()) / 2;
    if (mesh.dim == 2) euler += mesh.cells();
    if (mesh.dim == 3) euler += interior + mesh.facets.size() - mesh.cells();
    EXPECT_EQ(euler, 1) << name(shape);
  }
}

TEST(Adjacency, IsSymmetricAndHasNoLoops) {
  const Mesh mesh = unit_box(Shape::tet, 3, 2);
  for (const Adjacency& graph : {node_nodes(mesh), cell_cells(mesh)})
    for (Index i = 0; i < graph.size(); ++i)
      for (Index j : graph[i]) {
        EXPECT_NE(i, j);
        EXPECT_TRUE(std::binary_search(graph[j].begin(), graph[j].end(), i));
      }
}

}  // namespace
}  // namespace tessera::mesh
