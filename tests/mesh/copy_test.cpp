#include "mesh/copy.hpp"

#include <gtest/gtest.h>

#include "mesh/meshes.hpp"

namespace tessera::mesh {
namespace {

void expect_same(const std::vector<Group>& found, const std::vector<Group>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t g = 0; g < found.size(); ++g) {
    EXPECT_EQ(found[g].name, expected[g].name);
    EXPECT_EQ(found[g].dim, expected[g].dim);
    EXPECT_EQ(found[g].entities, expected[g].entities);
    EXPECT_EQ(found[g].vertices, expected[g].vertices);
  }
}

TEST(CopyOfAMesh, IsTheMeshWhateverTheNumberOfThreads) {
  for (Mesh mesh : {testing::mixed_mesh(), testing::unit_box(Shape::quad, 3, /*order=*/2)}) {
    mesh.entities.push_back({"surface_1", mesh.dim - 1, {0, 1}, {}});
    mesh.box_cells = {3, 2, 1};
    mesh.box_min = {-1, 0, 1};
    mesh.box_max = {2, 3, 4};
    for (const int threads : {1, 3}) {
      const Mesh copied = copy(mesh, threads);
      EXPECT_EQ(copied.dim, mesh.dim);
      EXPECT_EQ(copied.order, mesh.order);
      EXPECT_EQ(copied.points, mesh.points);
      ASSERT_EQ(copied.blocks.size(), mesh.blocks.size());
      for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
        EXPECT_EQ(copied.blocks[b].shape, mesh.blocks[b].shape);
        EXPECT_EQ(copied.blocks[b].order, mesh.blocks[b].order);
        EXPECT_EQ(copied.blocks[b].nodes_per_cell, mesh.blocks[b].nodes_per_cell);
        EXPECT_EQ(copied.blocks[b].nodes, mesh.blocks[b].nodes);
        EXPECT_EQ(copied.blocks[b].first_cell, mesh.blocks[b].first_cell);
      }
      EXPECT_EQ(copied.facets.cell, mesh.facets.cell);
      EXPECT_EQ(copied.facets.side, mesh.facets.side);
      EXPECT_EQ(copied.facets.exterior, mesh.facets.exterior);
      expect_same(copied.groups, mesh.groups);
      expect_same(copied.entities, mesh.entities);
      EXPECT_EQ(copied.box_cells, mesh.box_cells);
      EXPECT_EQ(copied.box_min, mesh.box_min);
      EXPECT_EQ(copied.box_max, mesh.box_max);
    }
  }
}

}  // namespace
}  // namespace tessera::mesh
