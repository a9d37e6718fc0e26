// Numbers of nodes of a chain that two and three ranks share, made by hand.
#include "base/index_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace tessera {
namespace {

using Parts = IndexMap::Parts;

/// Five nodes of a chain, a-b-c-d-e. Rank 0 owns a, b, c as 0, 1, 2; rank 1 owns e, d as 3, 4.
std::vector<IndexMap> two_ranks() {
  return {
      IndexMap(Parts{.rank = 0, .global_size = 5, .first_owned = 0, .owned = 3, .ghosts = {{1, {4}}}}),
      IndexMap(Parts{.rank = 1, .global_size = 5, .first_owned = 3, .owned = 2, .ghosts = {{0, {2}}}}),
  };
}

/// Global numbers of ten nodes around a ring. Ranks own the places 0 to 3, 4 to 6 and 7 to 9, and those at
/// the ends are the ghosts of the rank beside them.
constexpr std::array<Offset, 10> ring{2, 0, 1, 3, 5, 4, 6, 8, 7, 9};
std::vector<Parts> three_parts() {
  return {
      {.rank = 0, .global_size = 10, .first_owned = 0, .owned = 4, .ghosts = {{1, {5}}, {2, {9}}}},
      {.rank = 1, .global_size = 10, .first_owned = 4, .owned = 3, .ghosts = {{0, {3}}, {2, {8}}}},
      {.rank = 2, .global_size = 10, .first_owned = 7, .owned = 3, .ghosts = {{0, {2}}, {1, {6}}}},
  };
}
std::vector<IndexMap> three_ranks() {
  std::vector<IndexMap> maps;
  for (const Parts& parts : three_parts()) maps.emplace_back(parts);
  return maps;
}

TEST(IndexMap, OfOneRankIsTheIdentityAndAllocatesNothing) {
  const IndexMap map(7);
  EXPECT_EQ(map.size(), 7);
  EXPECT_EQ(map.owned(), 7);
  EXPECT_EQ(map.global_size(), 7);
  EXPECT_EQ(map.first_owned(), 0);
  for (Index i = 0; i < 7; ++i) EXPECT_EQ(map.global_of(i), i);
  for (Index i = 0; i < 7; ++i) EXPECT_EQ(map.local_of(i), i);
  EXPECT_EQ(map.local_of(7), -1);
  EXPECT_EQ(map.local_of(-1), -1);
  EXPECT_EQ(map.ghosts().data(), nullptr);
  EXPECT_EQ(map.neighbours().data(), nullptr);
  EXPECT_EQ(IndexMap().size(), 0);
}

TEST(IndexMap, TwoRanksShareAChain) {
  const std::vector<IndexMap> maps = two_ranks();
  EXPECT_EQ(maps[0].size(), 4);
  EXPECT_EQ(maps[0].owned(), 3);
  EXPECT_EQ(maps[0].global_of(2), 2);
  EXPECT_EQ(maps[0].global_of(3), 4);
  EXPECT_EQ(maps[1].first_owned(), 3);
  EXPECT_EQ(maps[1].global_of(0), 3);
  EXPECT_EQ(maps[1].global_of(2), 2);
  EXPECT_EQ(maps[1].local_of(2), 2);
  EXPECT_EQ(maps[1].local_of(4), 1);
  EXPECT_EQ(maps[1].local_of(1), -1);
}

TEST(IndexMap, RanksOwnEveryNumberOnceAndEveryGhostIsOwnedByItsOwner) {
  for (const std::vector<IndexMap>& maps : {two_ranks(), three_ranks()}) {
    std::vector<int> owners(static_cast<std::size_t>(maps[0].global_size()), 0);
    for (std::size_t rank = 0; rank < maps.size(); ++rank) {
      const IndexMap& map = maps[rank];
      for (Index i = 0; i < map.owned(); ++i) ++owners.at(static_cast<std::size_t>(map.global_of(i)));
      for (Index i = 0; i < map.size(); ++i) EXPECT_EQ(map.local_of(map.global_of(i)), i);
      Index next = map.owned();
      for (const IndexMap::Neighbour& neighbour : map.neighbours()) {
        EXPECT_EQ(neighbour.first, next);
        next = neighbour.last;
        const IndexMap& owner = maps.at(static_cast<std::size_t>(neighbour.rank));
        for (Index i = neighbour.first; i < neighbour.last; ++i) {
          const Index there = owner.local_of(map.global_of(i));
          EXPECT_GE(there, 0) << "rank " << rank << ", ghost " << i;
          EXPECT_LT(there, owner.owned()) << "rank " << rank << ", ghost " << i;
        }
      }
      EXPECT_EQ(next, map.size());
    }
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), maps[0].global_size());
  }
}

/// y_i = 2 x_i - x_left - x_right on the ring: what an exchange of ghosts is for.
TEST(IndexMap, AProductOverThreeRanksIsThatOfOne) {
  std::vector<double> x(10), expected(10), found(10);
  for (std::size_t i = 0; i < 10; ++i) x[i] = 1.0 / (1.0 + static_cast<double>(i * i));  // by global number
  const auto value = [&](std::size_t place) { return x[static_cast<std::size_t>(ring[place % 10])]; };
  for (std::size_t p = 0; p < 10; ++p) expected[ring[p]] = 2 * value(p) - value(p + 9) - value(p + 1);
  for (const IndexMap& map : three_ranks()) {
    std::vector<double> local;
    for (Index i = 0; i < map.size(); ++i) local.push_back(x[static_cast<std::size_t>(map.global_of(i))]);
    for (std::size_t p = 0; p < 10; ++p) {
      const Index row = map.local_of(ring[p]);
      if (row < 0 || row >= map.owned()) continue;
      const Index left = map.local_of(ring[(p + 9) % 10]), right = map.local_of(ring[(p + 1) % 10]);
      ASSERT_GE(std::min(left, right), 0) << "place " << p;
      found[ring[p]] = 2 * local[row] - local[left] - local[right];
    }
  }
  EXPECT_EQ(found, expected);
}

TEST(IndexMap, ANeighbourMayHaveGhostsAndNoneForUs) {
  const IndexMap map(Parts{.global_size = 4, .owned = 2, .ghosts = {{1}}});
  ASSERT_EQ(map.neighbours().size(), 1u);
  EXPECT_EQ(map.neighbours()[0].first, map.neighbours()[0].last);
  EXPECT_EQ(map.size(), 2);
}

TEST(IndexMap, GlobalNumbersHave64Bits) {
  const Offset billion = 1'000'000'000;
  const IndexMap map(Parts{.rank = 3,
                           .global_size = 6 * billion,
                           .first_owned = 5 * billion,
                           .owned = 12,
                           .ghosts = {{1, {3 * billion}}, {2, {4 * billion}}, {4, {5 * billion + 12}}}});
  EXPECT_EQ(map.global_of(11), 5 * billion + 11);
  EXPECT_EQ(map.global_of(13), 4 * billion);
  EXPECT_EQ(map.local_of(5 * billion + 12), 14);
  EXPECT_EQ(map.local_of(3 * billion), 12);
}

/// What the constructor says of the middle rank after `spoil`; empty: nothing.
template <class Spoil>
std::string refusal(Spoil spoil) {
  Parts parts = three_parts()[1];
  spoil(parts);
  try {
    IndexMap map(parts);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::internal);
    EXPECT_FALSE(error.help().empty());
    return error.what();
  }
  return {};
}

TEST(IndexMap, RefusesNumbersThatContradictEachOther) {
  EXPECT_EQ(refusal([](Parts&) {}), "");
  EXPECT_EQ(refusal([](Parts& p) { p.owned = -1; }), "the numbers of rank 1: -1 of them");
  EXPECT_EQ(refusal([](Parts& p) { p.global_size = 6; }), "the numbers of rank 1: it owns [4, 7) of 6");
  EXPECT_EQ(refusal([](Parts& p) { p.ghosts[0].numbers = {5}; }),
            "the numbers of rank 1: ghost 5 of rank 0, where it owns [4, 7) of 10");
  EXPECT_EQ(refusal([](Parts& p) { p.ghosts[1].numbers = {3}; }),
            "the numbers of rank 1: ghost 3 of rank 2, where it owns [4, 7) of 10");
  EXPECT_EQ(refusal([](Parts& p) { p.ghosts[1].numbers = {10}; }),
            "the numbers of rank 1: ghost 10 of rank 2, where it owns [4, 7) of 10");
  EXPECT_EQ(refusal([](Parts& p) { p.ghosts[0].numbers = {-1}; }),
            "the numbers of rank 1: ghost -1 of rank 0, where it owns [4, 7) of 10");
  EXPECT_EQ(refusal([](Parts& p) {
              p.ghosts[0].numbers = {3, 2};
            }),
            "the numbers of rank 1: ghost 2 of rank 0 after 3");
  EXPECT_EQ(refusal([](Parts& p) {
              p.ghosts[0].numbers = {3, 3};
            }),
            "the numbers of rank 1: ghost 3 of rank 0 after 3");
  EXPECT_EQ(refusal([](Parts& p) { std::swap(p.ghosts[0], p.ghosts[1]); }),
            "the numbers of rank 1: ghosts of rank 0 after those of rank 2");
  EXPECT_EQ(refusal([](Parts& p) { p.ghosts[0].owner = 1; }),
            "the numbers of rank 1: ghosts of rank 1 after those of rank -1");
  EXPECT_THROW(IndexMap(-1), Error);
}

TEST(IndexMap, RefusesMoreNumbersThan32Bits) {
  try {
    IndexMap map(Parts{.rank = 0,
                       .global_size = Offset{1} << 33,
                       .first_owned = 0,
                       .owned = 2147483647,
                       .ghosts = {{1, {2147483647}}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::mesh);
    EXPECT_STREQ(error.what(), "2147483648 numbers of rank 0 exceed 32 bits");
  }
}

}  // namespace
}  // namespace tessera
