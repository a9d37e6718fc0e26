#include "base/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera {
namespace {

TEST(Cores, AreWrittenAsRanges) {
  EXPECT_EQ(ranges_of({}), "");
  EXPECT_EQ(ranges_of({3}), "3");
  EXPECT_EQ(ranges_of({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

/// Two threads of one unit stay together while there are units enough.
TEST(Cores, AreDividedByUnits) {
  const std::vector<Cores> units{{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  EXPECT_EQ(part_of(units, 2, 0), (Cores{0, 1, 4, 5}));
  EXPECT_EQ(part_of(units, 2, 1), (Cores{2, 3, 6, 7}));
  EXPECT_EQ(part_of(units, 4, 3), (Cores{3, 7}));
  EXPECT_EQ(part_of(units, 8, 1), (Cores{4}));
  EXPECT_EQ(part_of(units, 9, 0), Cores{});
}

TEST(Cores, AreEachInOnePart) {
  std::vector<Cores> units;
  for (int unit = 0; unit < 7; ++unit) units.push_back({2 * unit, 2 * unit + 1});
  for (int parts = 1; parts <= 14; ++parts) {
    Cores together;
    for (int part = 0; part < parts; ++part) {
      const Cores mine = part_of(units, parts, part);
      EXPECT_FALSE(mine.empty()) << part << " of " << parts;
      together.insert(together.end(), mine.begin(), mine.end());
    }
    std::sort(together.begin(), together.end());
    EXPECT_EQ(together.size(), 14u) << parts;
    EXPECT_EQ(std::unique(together.begin(), together.end()), together.end()) << parts;
  }
}

TEST(Cores, OfThisProcessAreInUnits) {
  const Cores all = usable_cores();
  ASSERT_FALSE(all.empty());
  Cores together;
  for (const Cores& unit : by_units(all)) together.insert(together.end(), unit.begin(), unit.end());
  std::sort(together.begin(), together.end());
  EXPECT_EQ(together, all);
}

TEST(Machines, AreNamedByTheirFirstRank) { EXPECT_EQ(first_ranks_of_machines(alone()), std::vector<int>{0}); }

}  // namespace
}  // namespace tessera
