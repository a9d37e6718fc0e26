// Sums over ranks, cut into those that one kernel takes.
#include "base/sum_ranges.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace tessera {
namespace {

/// Addresses of all numbers, in their order, and how many there are in each sum.
std::pair<std::vector<double*>, std::vector<int>> taken(const std::vector<SumRange>& values, int most_numbers) {
  std::pair<std::vector<double*>, std::vector<int>> result;
  for (const SumRanges& ranges : split_ranges(values, most_numbers)) {
    EXPECT_LE(ranges.count, SumRanges::most);
    EXPECT_LE(ranges.numbers, most_numbers);
    int numbers = 0;
    for (int r = 0; r < ranges.count; numbers += ranges.of[r++].count)
      for (int k = 0; k < ranges.of[r].count; ++k) result.first.push_back(ranges.of[r].first + k);
    EXPECT_EQ(numbers, ranges.numbers);
    result.second.push_back(numbers);
  }
  return result;
}

TEST(SumRanges, HaveEveryNumberOnceInItsPlace) {
  std::array<double, 100> of{};
  std::vector<SumRange> ranges;
  std::vector<double*> all;
  for (int first = 0, count = 0; first + count <= 100; first += count++) {
    ranges.push_back({of.data() + first, count});
    for (int k = 0; k < count; ++k) all.push_back(of.data() + first + k);
  }
  for (const int most : {1, 7, 10, 91, 1000}) EXPECT_EQ(taken(ranges, most).first, all) << most;
}

TEST(SumRanges, GoTogetherAsFarAsThereIsRoom) {
  std::array<double, 20> of{};
  using Sizes = std::vector<int>;
  EXPECT_EQ(taken({}, 4).second, Sizes{});
  EXPECT_EQ(taken({{of.data(), 3}, {of.data() + 3, 1}}, 4).second, Sizes{4});
  EXPECT_EQ(taken({{of.data(), 9}}, 4).second, (Sizes{4, 4, 1}));
  EXPECT_EQ(taken({{of.data(), 3}, {of.data() + 5, 3}}, 4).second, (Sizes{4, 2}));
  EXPECT_EQ(taken(std::vector<SumRange>(9, {of.data(), 1}), 100).second, (Sizes{8, 1}));
}

}  // namespace
}  // namespace tessera
