#include "base/touch.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>

#include "base/array.hpp"

namespace tessera {
namespace {

/// What the system says of the mapping that has this address, in two letters each.
std::string flags_of_mapping(const void* place) {
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t first = 0, last = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &last) == 2)
      here = first <= reinterpret_cast<std::uintptr_t>(place) && reinterpret_cast<std::uintptr_t>(place) < last;
    else if (here && line.starts_with("VmFlags:"))
      return line + ' ';
  }
  return {};
}

/// Whether those of this mapping are asked for.
bool are_large(const void* place) { return flags_of_mapping(place).find(" hg ") != std::string::npos; }

TEST(LargePages, AreAskedForByLargeArraysAlone) {
  // A whole large page lies in it.
  constexpr std::size_t page = 2 << 20, small = 2 * page - 1;
  void* const memory = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ask_for_large_pages(memory, small);
  EXPECT_FALSE(are_large(memory));
  // What this system says where they are asked for: one that does not know them says nothing.
  (void)madvise(memory, 2 * page, MADV_HUGEPAGE);
  const bool known = are_large(memory);
  munmap(memory, 2 * page);

  constexpr Offset large = 16 << 20;
  Array<char> array(large);
  EXPECT_EQ(are_large(array.data() + large / 2), known);
  std::fill(array.begin(), array.end(), 'a');
  EXPECT_EQ(std::count(array.begin(), array.end(), 'a'), large);
}

TEST(LargePages, LeaveErrnoWhereTheyAreRefused) {
  constexpr std::size_t bytes = 8 << 20;
  void* const memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  munmap(memory, bytes);
  errno = EDOM;
  ask_for_large_pages(memory, bytes);
  EXPECT_EQ(errno, EDOM);
}

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
