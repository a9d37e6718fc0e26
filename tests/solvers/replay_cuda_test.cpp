// What is recorded into a graph must not take memory: an address of the graph would serve others later.
#include "base/replay.hpp"

#include <gtest/gtest.h>

#include "base/array.hpp"
#include "base/error.hpp"
#include "base/reused_memory.hpp"
#include "linalg/vector_ops.hpp"
#include "support/backends.hpp"

namespace tessera::solvers {
namespace {

TEST(Replay, FailsWhereItsWorkTakesMemoryThoughSomeIsKept) {
  TESSERA_REQUIRE(Cuda);
#ifndef NDEBUG
  GTEST_SKIP() << "debug builds record nothing";
#endif
  Cuda exec;
  const ReusedMemory<Device> reused;
  constexpr Offset size = 100000;
  { const Array<double, Device> kept(size); }  // which would serve
  Array<double, Device> x(1);
  const auto work = [&] {
    const Array<double, Device> taken(size);
    linalg::fill(exec, x.view(), 1.0);
  };
  Replay<Cuda> replay;
  replay.run(exec, work);  // a plain one
  EXPECT_THROW(replay.run(exec, work), Error);
  // The stream is usable, and what takes no memory is recorded.
  const auto frugal = [&] { linalg::fill(exec, x.view(), 2.0); };
  Replay<Cuda> another;
  for (int run = 0; run < 3; ++run) another.run(exec, frugal);
  exec.synchronize();
  EXPECT_EQ(to_vector(x), std::vector<double>{2.0});
}

}  // namespace
}  // namespace tessera::solvers
