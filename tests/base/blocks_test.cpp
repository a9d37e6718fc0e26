#include "base/blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tessera {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

/// Addresses that nobody reads.
std::byte* at(std::size_t place) { return reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40) + place; }

void add(FreeBlocks& free, std::size_t place, std::size_t bytes) {
  Block block{at(place), bytes, nullptr};
  free.add(block);
}
void free_again(FreeBlocks& free, NotedBlocks& noted, void* memory, std::size_t asked) {
  Block block = noted.take(memory, asked);
  free.add(block);
}

TEST(FreeBlocks, ServeWhatLeavesLittleOfThem) {
  NotedBlocks noted(0);
  FreeBlocks free(noted);
  add(free, 0, 100 * MiB);
  EXPECT_EQ(free.take(100 * MiB + 1), nullptr);
  EXPECT_EQ(free.take(70 * MiB), nullptr);  // no block may be in parts
  EXPECT_EQ(free.take(90 * MiB), at(0));
  EXPECT_EQ(free.take(90 * MiB), nullptr);
  EXPECT_EQ(noted.take(at(0), 90 * MiB).bytes, 100 * MiB);
  EXPECT_EQ(noted.take(at(0), 90 * MiB).bytes, 90 * MiB);  // it is forgotten
}

TEST(FreeBlocks, ServeInPartsThatBecomeOneAgain) {
  NotedBlocks noted(100 * MiB);
  FreeBlocks free(noted);
  add(free, 0, 100 * MiB);
  void* const first = free.take(20 * MiB);
  void* const second = free.take(30 * MiB - 100);  // parts begin at steps
  void* const third = free.take(10 * MiB);
  EXPECT_EQ(first, at(0));
  EXPECT_EQ(second, at(20 * MiB));
  EXPECT_EQ(third, at(50 * MiB));
  EXPECT_EQ(free.take(50 * MiB), nullptr);
  free_again(free, noted, first, 20 * MiB);
  free_again(free, noted, third, 10 * MiB);
  EXPECT_EQ(free.take(70 * MiB), nullptr);  // 20 and 50 are free, which do not meet
  free_again(free, noted, second, 30 * MiB - 100);
  void* const all = free.take(100 * MiB);
  EXPECT_EQ(all, at(0));
  EXPECT_EQ(noted.take(all, 100 * MiB).whole, nullptr);
}

TEST(FreeBlocks, KeepLargeOnesFromSmallAllocations) {
  NotedBlocks noted(1000 * MiB);
  FreeBlocks free(noted);
  add(free, 0, 100 * MiB);
  EXPECT_EQ(free.take(1000), nullptr);
  add(free, 200 * MiB, 8 * MiB);
  EXPECT_EQ(free.take(1000), at(200 * MiB));
  EXPECT_EQ(free.take(MiB), at(200 * MiB + 1024));
  EXPECT_EQ(free.take(10 * MiB), at(0));
  EXPECT_EQ(free.take(1000), at(201 * MiB + 1024));  // the smallest that there is
}

TEST(FreeBlocks, AreInPartsUpToALimit) {
  NotedBlocks noted(150 * MiB);
  FreeBlocks free(noted);
  add(free, 0, 100 * MiB);
  add(free, 200 * MiB, 101 * MiB);
  void* const first = free.take(10 * MiB);
  EXPECT_EQ(first, at(0));
  EXPECT_EQ(free.take(95 * MiB), at(200 * MiB));
  add(free, 400 * MiB, 101 * MiB);
  EXPECT_EQ(free.take(92 * MiB), at(400 * MiB));  // in one
  EXPECT_EQ(free.take(60 * MiB), at(10 * MiB));
  add(free, 600 * MiB, 101 * MiB);
  EXPECT_EQ(free.take(60 * MiB), nullptr);
  free_again(free, noted, at(10 * MiB), 60 * MiB);
  free_again(free, noted, first, 10 * MiB);  // it is whole, so that another may be in parts
  EXPECT_EQ(free.take(50 * MiB), at(0));
}

TEST(NotedBlocks, GoBackWithTheirLastPart) {
  NotedBlocks noted(100 * MiB);
  Block returned;
  {
    FreeBlocks free(noted);
    add(free, 0, 100 * MiB);
    EXPECT_EQ(free.take(60 * MiB), at(0));
    free.clear([&](const Block& block) { returned = noted.give_back(block); });
  }
  EXPECT_EQ(returned.memory, nullptr);
  returned = noted.give_back(noted.take(at(0), 60 * MiB));
  EXPECT_EQ(returned.memory, at(0));
  EXPECT_EQ(returned.bytes, 100 * MiB);
  FreeBlocks free(noted);  // nothing is in parts any more
  add(free, 0, 100 * MiB);
  EXPECT_EQ(free.take(60 * MiB), at(0));
}

struct Used {
  std::byte* memory;
  std::size_t bytes;
};
bool overlaps(const std::vector<Used>& all, const Used& one) {
  return std::any_of(all.begin(), all.end(), [&](const Used& other) {
    return one.memory < other.memory + other.bytes && other.memory < one.memory + one.bytes;
  });
}

TEST(FreeBlocks, NeverServeTwoAtAPlaceAndAreWholeInTheEnd) {
  std::mt19937 random(7);
  NotedBlocks noted(400 * MiB);
  FreeBlocks outer(noted), inner(noted);
  for (std::size_t b = 0; b < 10; ++b) add(b % 2 ? outer : inner, b * 200 * MiB, (b + 1) * 10 * MiB);
  std::vector<Used> used;
  int served = 0;
  for (int step = 0; step < 20000; ++step) {
    if (random() % 2) {
      const std::size_t bytes = 1 + (random() % 3 ? random() % (30 * MiB) : random() % 5000);
      void* memory = inner.take(bytes);
      if (!memory) memory = outer.take(bytes);
      if (!memory) continue;
      const Used one{static_cast<std::byte*>(memory), bytes};
      ASSERT_FALSE(overlaps(used, one)) << step;
      const std::size_t place = static_cast<std::size_t>(one.memory - at(0));
      ASSERT_LE(place % (200 * MiB) + bytes, (place / (200 * MiB) + 1) * 10 * MiB) << step;
      used.push_back(one);
      ++served;
    } else if (!used.empty()) {
      std::swap(used[random() % used.size()], used.back());
      free_again(random() % 4 ? inner : outer, noted, used.back().memory, used.back().bytes);
      used.pop_back();
    }
  }
  EXPECT_GT(served, 2000);
  for (const Used& one : used) free_again(inner, noted, one.memory, one.bytes);
  outer.clear([&](Block block) { inner.add(block); });
  std::vector<std::size_t> sizes;
  inner.clear([&](const Block& block) {
    EXPECT_EQ(block.whole, nullptr);
    sizes.push_back(block.bytes / (10 * MiB));
  });
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

}  // namespace
}  // namespace tessera
