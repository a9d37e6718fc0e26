#include "base/reduce_least.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/posted.hpp"
#include "support/backends.hpp"

namespace tessera {

constexpr Pair nothing{1e300, 1e300};

/// Numbers in no order.
struct Scattered {
  TESSERA_HD Pair operator()(Offset i) const {
    return {static_cast<double>((i * 7919 + 13) % 100003), -static_cast<double>((i * 104729 + 5) % 1000003)};
  }
};

Pair least_of(Offset count) {
  Pair least = nothing;
  for (Offset i = 0; i < count; ++i) least = lesser(least, Scattered{}(i));
  return least;
}

TEST(ReduceLeast, OnThreadsIsTheLeastOfAll) {
  Threads exec(2);
  for (const Offset count : {0, 1, 31, 257, 4097, 300001}) {
    double found[2];
    reduce_least(exec, count, Scattered{}, nothing, found);
    EXPECT_EQ(found[0], least_of(count).first) << count;
    EXPECT_EQ(found[1], least_of(count).second) << count;
  }
}

TEST(ReduceLeast, OnCudaIsTheLeastOfAll) {
  TESSERA_REQUIRE(Cuda);
  Cuda exec;
  Array<double, Device> found(2);
  for (const Offset count : {0, 1, 31, 257, 4097, 300001}) {
    for (int run = 0; run < 3; ++run) {
      reduce_least(exec, count, Scattered{}, nothing, found.data());
      exec.synchronize();
      const std::vector<double> here = to_vector(found);
      EXPECT_EQ(here[0], least_of(count).first) << count;
      EXPECT_EQ(here[1], least_of(count).second) << count;
    }
  }
}

/// What is queued behind the post may write there again: the host has read before.
void expect_posted_numbers() {
  Cuda exec;
  Posted<Cuda> one(3), other(3);
  for (int run = 0; run < 20; ++run)
    for (Posted<Cuda>* posted : {&one, &other}) {
      const View<double> target = posted->target();
      for_each(exec, 3, [=] TESSERA_HD(Offset i) { target[i] = 10.0 * run + static_cast<double>(i); });
      posted->post(exec);
      if (posted == &one) continue;
      for (const Posted<Cuda>* of : {&one, &other})
        for (int i = 0; i < 3; ++i) EXPECT_EQ(of->read()[i], 10 * run + i);
    }
}

TEST(Posted, IsThereWhenItIsRead) {
  TESSERA_REQUIRE(Cuda);
  expect_posted_numbers();
}

}  // namespace tessera
