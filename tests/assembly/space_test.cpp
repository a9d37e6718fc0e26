#include "assembly/space/space.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tessera {
namespace {

using assembly::Space;

assembly::DofMap map_of(Index dofs) {
  assembly::DofMap map;
  map.dofs = dofs;
  return map;
}

TEST(Space, RowsOfANodeStandTogether) {
  const Space space(map_of(5), 3);
  EXPECT_EQ(space.rows(), 15);
  EXPECT_EQ(space.first_row(), 0);
  EXPECT_EQ(space.index_map.size(), 5);
  EXPECT_EQ(space.index_map.owned(), 5);
  Index next = 0;
  for (Index dof = 0; dof < 5; ++dof)
    for (int c = 0; c < 3; ++c) {
      const Index row = space.row(dof, c);
      EXPECT_EQ(row, next++);
      EXPECT_EQ(space.dof_of(row), dof);
      EXPECT_EQ(space.component_of(row), c);
      EXPECT_EQ(row, dof * space.layout().node_stride + c * space.layout().component_stride);
    }
}

TEST(Space, OnOneOfSeveralRanksItsFirstRowFollowsThoseBelow) {
  const IndexMap::Parts parts{.rank = 1, .global_size = 9, .first_owned = 4, .owned = 5, .ghosts = {{0, {1, 2}}}};
  const Space space(map_of(7), 2, IndexMap(parts));
  EXPECT_EQ(space.rows(), 14);
  EXPECT_EQ(space.first_row(), 8);
}

TEST(Space, RefusesNumbersOfOtherDofs) {
  EXPECT_THROW(Space(map_of(7), 2, IndexMap(6)), Error);
  EXPECT_THROW(Space(map_of(7), 0), Error);
}

TEST(Space, RefusesRowsBeyond32Bits) {
  EXPECT_NO_THROW(Space(map_of(715827882), 3));
  try {
    const Space space(map_of(715827883), 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::mesh);
    EXPECT_STREQ(error.what(), "715827883 nodes with 3 unknowns each exceed 32-bit numbers");
  }
}

}  // namespace
}  // namespace tessera
