#include "assembly/space/space.hpp"

#include <gtest/gtest.h>

#include "assembly/space/longest_way.hpp"
#include "assembly/space/rank_space.hpp"
#include "base/error.hpp"
#include "base/peer_bytes.hpp"
#include "mesh/box.hpp"

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

/// Three strips of columns of nodes: that in the middle sees a column of either neighbour.
TEST(LongestWay, IsThatBetweenTwoRanks) {
  mesh::BoxParams box;
  box.min = {0, 0};
  box.max = {6, 4};
  box.cells = {6, 4};
  box.shape = "quad";
  const mesh::Mesh mesh = mesh::make_box(box, 1);
  const assembly::DofMap dofs = assembly::make_dof_map(mesh, 1);
  std::vector<int> owners;
  for (Index node = 0; node < mesh.nodes(); ++node)
    owners.push_back(mesh.point(node)[0] < 2.5 ? 0 : mesh.point(node)[0] < 4.5 ? 1 : 2);
  EXPECT_EQ(assembly::rank_sizes(mesh, dofs, owners, 3).ghosts, (std::vector<Index>{5, 10, 5}));
  EXPECT_EQ(assembly::longest_way(mesh, dofs, owners, 3), 5);
  // From each rank, for even and odd exchanges, in whole chunks with a flag each.
  EXPECT_EQ(peer::chunks_of(5 * 8), 1);
  EXPECT_EQ(peer::chunks_of(4096), 1);
  EXPECT_EQ(peer::chunks_of(4097), 2);
  EXPECT_EQ(peer::window_bytes(3, 2), 2U * 3 * 2 * (4096 + 4));
}

}  // namespace
}  // namespace tessera
