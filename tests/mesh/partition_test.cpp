#include "mesh/partition.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "meshes.hpp"

namespace tessera::mesh {
namespace {

TEST(Partition, EveryCellIsInOnePartAndPartsAreBalanced) {
  for (Shape shape : {Shape::triangle, Shape::quad, Shape::tet, Shape::hex, Shape::prism}) {
    const Mesh mesh = testing::unit_box(shape, dimension(shape) == 2 ? 40 : 10);
    const std::vector<Index> part = partition_cells(mesh, 64);
    ASSERT_EQ(part.size(), static_cast<std::size_t>(mesh.cells()));
    const Adjacency parts = parts_to_cells(part);
    EXPECT_NEAR(parts.size(), mesh.cells() / 64.0, 0.1 * mesh.cells() / 64.0 + 1);
    Offset cells = 0;
    for (Index p = 0; p < parts.size(); ++p) {
      EXPECT_GT(parts[p].size(), 0u);
      EXPECT_LE(parts[p].size(), 96u) << name(shape);
      for (Index cell : parts[p]) EXPECT_EQ(part[cell], p);
      cells += static_cast<Offset>(parts[p].size());
    }
    EXPECT_EQ(cells, mesh.cells());
    EXPECT_EQ(part, partition_cells(mesh, 64));
  }
}

TEST(Partition, FewFacetsAreCut) {
  const Mesh mesh = testing::unit_box(Shape::hex, 12);
  const std::vector<Index> part = partition_cells(mesh, 216);
  const Adjacency dual = cell_cells(mesh);
  Offset cut = 0;
  for (Index c = 0; c < mesh.cells(); ++c)
    for (Index other : dual[c]) cut += part[c] != part[other];
  EXPECT_LT(static_cast<double>(cut), 0.3 * static_cast<double>(dual.items.size()));
}

TEST(Partition, OneBlockAndNoBlock) {
  const Mesh mesh = testing::unit_box(Shape::quad, 3);
  EXPECT_EQ(partition_cells(mesh, 1000), std::vector<Index>(static_cast<std::size_t>(mesh.cells()), 0));
  EXPECT_THROW(partition_cells(mesh, 0), Error);
}

}  // namespace
}  // namespace tessera::mesh
