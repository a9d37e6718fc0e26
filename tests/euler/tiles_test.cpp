// The order in which blocks of a GPU take slices of rows.
#include "physics/conservation/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace {

using tessera::Index;
using tessera::physics::conservation::in_tiles;

constexpr Index width = 8;

/// The slices around each of a grid of them.
std::vector<Index> grid(Index across, Index along) {
  std::vector<Index> around;
  for (Index y = 0; y < along; ++y)
    for (Index x = 0; x < across; ++x)
      for (Index dy = -1; dy <= 1; ++dy)
        for (Index dx = -1; dx <= 1; ++dx) {
          const bool is_inside = x + dx >= 0 && x + dx < across && y + dy >= 0 && y + dy < along;
          if (dx != 0 || dy != 0) around.push_back(is_inside ? (y + dy) * across + x + dx : -1);
        }
  return around;
}

TEST(Tiles, HaveEachSliceOnce) {
  for (const Index across : {1, 2, 7, 16})
    for (const Index along : {1, 3, 16}) {
      std::vector<Index> order = in_tiles(grid(across, along), width, 4), all(order.size());
      ASSERT_EQ(static_cast<Index>(order.size()), across * along);
      std::sort(order.begin(), order.end());
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(order, all) << across << ' ' << along;
    }
  EXPECT_TRUE(in_tiles({}, width, 4).empty());
  EXPECT_EQ(in_tiles({-1, -1, -1}, 1, 4), (std::vector<Index>{0, 1, 2}));  // without any links
}

TEST(Tiles, OfAGridAreSquares) {
  const std::vector<Index> order = in_tiles(grid(16, 16), width, 4);
  for (std::size_t first = 0; first < order.size(); first += 4) {
    const Index corner = order[first];
    std::vector<Index> tile(order.begin() + static_cast<std::ptrdiff_t>(first),
                            order.begin() + static_cast<std::ptrdiff_t>(first) + 4);
    std::sort(tile.begin(), tile.end());
    EXPECT_EQ(tile, (std::vector<Index>{corner, corner + 1, corner + 16, corner + 17}));
  }
}

}  // namespace
