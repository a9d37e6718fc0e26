#include "base/reused_memory.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/array.hpp"
#include "base/memory_device.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

TEST(ReusedMemory, ServesTheNextAllocationOfItsSize) {
  TESSERA_REQUIRE(Cuda);
  const Cuda exec;
  const std::size_t before = memory_use().device_now;
  Array<double, Device> survivor;
  {
    const ReusedMemory<Device> reused;
    const double* first = nullptr;
    {
      const Array<double, Device> a(1000000);
      first = a.data();
    }
    EXPECT_EQ(memory_use().device_now, before);
    survivor = Array<double, Device>(900000);
    EXPECT_EQ(survivor.data(), first);
    const Array<double, Device> another(1000000);
    EXPECT_NE(another.data(), first);
  }
  // What is in use when it ends stays whole, and goes back in the end as if it had come from the device.
  const std::vector<double> values(900000, 3);
  copy_bytes(Host{}, values.data(), Device{}, survivor.data(), survivor.bytes());
  EXPECT_EQ(to_vector(survivor), values);
  survivor = {};
  EXPECT_EQ(memory_use().device_now, before);
}

TEST(ReusedMemory, ServesSmallerAllocationsInParts) {
  TESSERA_REQUIRE(Cuda);
  const Cuda exec;
  Array<double, Device> survivor;
  const double* block = nullptr;
  std::size_t held = 0;
  {
    const ReusedMemory<Device> reused;
    {
      const Array<double, Device> a(1000000);
      block = a.data();
    }
    held = device_held_peak();
    survivor = Array<double, Device>(300000);
    const Array<double, Device> another(400000);
    EXPECT_EQ(survivor.data(), block);
    EXPECT_GE(another.data(), block + 300000);
    EXPECT_LE(another.data() + 400000, block + 1000000);
    const std::vector<double> threes(300000, 3), fours(400000, 4);
    copy_bytes(Host{}, threes.data(), Device{}, survivor.data(), survivor.bytes());
    copy_bytes(Host{}, fours.data(), Device{}, const_cast<double*>(another.data()), another.bytes());
    EXPECT_EQ(to_vector(survivor), threes);
    EXPECT_EQ(to_vector(another), fours);
    EXPECT_EQ(device_held_peak(), held);
  }
  // The block outlives it, for what is in use of it.
  EXPECT_EQ(to_vector(survivor), std::vector<double>(300000, 3));
}

TEST(ReusedMemory, MayLieInAnother) {
  TESSERA_REQUIRE(Cuda);
  const Cuda exec;
  const std::size_t before = memory_use().device_now;
  {
    const ReusedMemory<Device> outer;
    { const Array<int, Device> a(5000); }
    {
      const ReusedMemory<Device> inner;
      { const Array<int, Device> b(5000); }
      const Array<int, Device> c(5000);
    }
    const Array<int, Device> d(5000);
  }
  EXPECT_EQ(memory_use().device_now, before);
}

TEST(ReusedMemory, HandsWhatItHasToTheOneThatItLiesIn) {
  TESSERA_REQUIRE(Cuda);
  const Cuda exec;
  const ReusedMemory<Device> outer;
  const double* of_outer = nullptr;
  const double* of_inner = nullptr;
  {
    const Array<double, Device> a(1000000);
    of_outer = a.data();
  }
  {
    const ReusedMemory<Device> inner;
    const Array<double, Device> b(1000000), c(1000000);
    EXPECT_EQ(b.data(), of_outer);
    of_inner = c.data();
  }
  const Array<double, Device> d(1000000), e(1000000);
  EXPECT_TRUE((d.data() == of_outer && e.data() == of_inner) || (d.data() == of_inner && e.data() == of_outer));
}

TEST(ReusedMemory, KnowsHowLargeABlockIsThatServedASmallerAllocation) {
  TESSERA_REQUIRE(Cuda);
  const Cuda exec;
  const ReusedMemory<Device> reused;
  const double* block = nullptr;
  {
    const Array<double, Device> a(1000000);
    block = a.data();
  }
  {
    const Array<double, Device> smaller(900000);
    EXPECT_EQ(smaller.data(), block);
  }
  const std::vector<double> values(1000000, 2), others(700000, 3);
  // It is as large as it was, so that it serves the first of these and nothing is left for the second.
  Array<double, Device> first(1000000), second(700000);
  EXPECT_EQ(first.data(), block);
  copy_bytes(Host{}, values.data(), Device{}, first.data(), first.bytes());
  copy_bytes(Host{}, others.data(), Device{}, second.data(), second.bytes());
  EXPECT_EQ(to_vector(first), values);
  EXPECT_EQ(to_vector(second), others);
}

TEST(ReusedMemory, ForgetsABlockThatGoesBack) {
  TESSERA_REQUIRE(Cuda);
  const Cuda exec;
  Array<double, Device> survivor;
  {
    const ReusedMemory<Device> reused;
    { const Array<double, Device> a(1000000); }
    survivor = Array<double, Device>(900000);  // in the same block
  }
  survivor = {};
  const ReusedMemory<Device> reused;
  const double* block = nullptr;
  {
    const Array<double, Device> another(900000);  // most likely where the survivor was
    block = another.data();
  }
  const Array<double, Device> larger(1000000);
  EXPECT_NE(larger.data(), block);
}

/// Needs no GPU.
TEST(ReusedMemory, IsNotLookedIntoWhereNoneIsWanted) {
  ReusedMemory<Device>* const before = reused_device_memory;
  {
    ReusedMemory<Device> outer;
    EXPECT_EQ(reused_device_memory, &outer);
    {
      const NoReusedMemory none;
      EXPECT_EQ(reused_device_memory, nullptr);
      const NoReusedMemory again;
      EXPECT_EQ(reused_device_memory, nullptr);
    }
    EXPECT_EQ(reused_device_memory, &outer);
    ReusedMemory<Device> inner;
    try {
      const NoReusedMemory none;
      throw std::runtime_error("as recorded work may");
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(reused_device_memory, &inner);
  }
  EXPECT_EQ(reused_device_memory, before);
}

TEST(ReusedMemory, IsCountedAsHeldUntilItGoesBack) {
  TESSERA_REQUIRE(Cuda);
  const Cuda exec;
  constexpr Offset much = Offset{1} << 22;  // 32 MiB
  const std::size_t bytes = 8 * much;
  // As much as other tests have held at most, and with it all that follows is more than that.
  const Array<double, Device> before(static_cast<Offset>(device_held_peak() / sizeof(double)) + 1);
  const std::size_t peak = device_held_peak();
  {
    const ReusedMemory<Device> reused;
    { const Array<double, Device> a(much); }
    EXPECT_GE(device_held_peak() - peak, bytes);
    const std::size_t of_one = device_held_peak();
    const Array<double, Device> in_the_same(much - 1);
    EXPECT_EQ(device_held_peak(), of_one);
    const Array<double, Device> larger(2 * much);
    EXPECT_GE(device_held_peak() - of_one, 2 * bytes);
    EXPECT_LT(device_held_peak() - of_one, 3 * bytes);
  }
  const std::size_t highest = device_held_peak();
  { const Array<double, Device> a(2 * much); }  // all has gone back, so that this is not the highest
  EXPECT_EQ(device_held_peak(), highest);
}

}  // namespace
}  // namespace tessera
