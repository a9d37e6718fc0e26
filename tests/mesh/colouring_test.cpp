#include "mesh/colouring.hpp"

#include <gtest/gtest.h>

#include <set>

#include "meshes.hpp"

namespace tessera::mesh {
namespace {

void expect_valid(const Colouring& colouring, const std::vector<Index>& keys, int stride) {
  std::vector<char> seen(keys.size() / stride, 0);
  for (int c = 0; c < colouring.colours(); ++c) {
    std::set<Index> used;
    Index last = -1;
    for (Index cell : colouring.colour(c)) {
      EXPECT_GT(cell, last);
      last = cell;
      ++seen[cell];
      for (int i = 0; i < stride; ++i)
        if (keys[cell * stride + i] >= 0) {
          EXPECT_TRUE(used.insert(keys[cell * stride + i]).second);
        }
    }
  }
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](char n) { return n == 1; }));
}

TEST(Colouring, CellsOfOneColourShareNoNodeAndColoursAreBalanced) {
  for (Shape shape : testing::cell_shapes)
    for (int order : {1, 2}) {
      const Mesh mesh = testing::unit_box(shape, dimension(shape) == 3 ? 10 : 40, order);
      const CellBlock& block = mesh.blocks[0];
      const Colouring colouring = colour_cells(block.nodes, block.nodes_per_cell, mesh.nodes());
      expect_valid(colouring, block.nodes, block.nodes_per_cell);
      const double mean = static_cast<double>(block.cells()) / colouring.colours();
      for (int c = 0; c < colouring.colours(); ++c)
        EXPECT_NEAR(colouring.size(c), mean, 0.2 * mean + 1) << name(shape) << ": " << describe(colouring);
    }
}

TEST(Colouring, PassesSixtyFourColours) {
  // A clique: every cell holds key 0.
  std::vector<Index> keys;
  for (Index cell = 0; cell < 150; ++cell) keys.insert(keys.end(), {0, cell + 1});
  const Colouring colouring = colour_cells(keys, 2, 151);
  EXPECT_EQ(colouring.colours(), 150);
  expect_valid(colouring, keys, 2);
}

TEST(Colouring, RaggedAndFixedStrideAgree) {
  const Mesh mesh = testing::unit_box(Shape::tet, 4);
  const CellBlock& block = mesh.blocks[0];
  std::vector<Offset> ptr;
  for (Offset c = 0; c <= block.cells(); ++c) ptr.push_back(4 * c);
  const Colouring a = colour_cells(block.nodes, 4, mesh.nodes());
  const Colouring b = colour_cells(block.cells(), mesh.nodes(), ptr.data(), block.nodes.data());
  EXPECT_EQ(a.cells, b.cells);
  EXPECT_EQ(colour_cells(std::span<const Index>{}, 4, 10).colours(), 0);
}

}  // namespace
}  // namespace tessera::mesh
