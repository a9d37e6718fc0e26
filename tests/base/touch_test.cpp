#include "base/touch.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

TEST(Touch, ResizingByAllKeepsWhatIsThereAndClearsTheRest) {
  for (const int threads : {1, 3}) {
    std::vector<int> items(1000);
    std::iota(items.begin(), items.end(), 1);
    const std::vector<int> before = items;
    resize_by_all(items, 3'000'000, threads);
    ASSERT_EQ(items.size(), 3'000'000u);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), items.begin()));
    EXPECT_EQ(std::count(items.begin() + 1000, items.end(), 0), 2'999'000);
    resize_by_all(items, 10, threads);
    EXPECT_EQ(items, std::vector<int>(before.begin(), before.begin() + 10));
  }
}

TEST(Touch, WhatIsInThePagesStays) {
  std::vector<double> items(1'000'000, 0.5);
  touch_pages(items.data() + 3, (items.size() - 3) * sizeof(double), 2);
  EXPECT_EQ(std::count(items.begin(), items.end(), 0.5), 1'000'000);
}

TEST(Touch, WhatHasNoRoomIsRefusedBeforeItIsTaken) {
  std::vector<double> items(1, 0.5);
  const std::size_t kept = mallinfo2().fordblks, least = std::size_t{1} << 28;
  EXPECT_THROW(resize_by_all(items, (host_bytes_available() + kept + least) / 4, 2), Error);
  EXPECT_EQ(items, std::vector<double>(1, 0.5));
}

}  // namespace
}  // namespace tessera
