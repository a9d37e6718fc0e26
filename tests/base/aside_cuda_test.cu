#include "base/aside.hpp"

#include <gtest/gtest.h>

#include "base/parallel.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

constexpr Offset n = 1 << 20;
constexpr int additions = 100;

/// x += 1, many times, so that there is something to wait for.
void add_often(Cuda& exec, View<double> x) {
  for (int k = 0; k < additions; ++k) for_each(exec, n, [=] TESSERA_HD(Offset i) { x[i] += 1; });
}

}  // namespace

void expect_order_of_aside() {
  Cuda exec;
  Aside<Cuda> aside;
  Array<double, Device> before(n), beside(n), both(n);
  const View<double> x = before.view(), y = beside.view(), z = both.view();
  for (int run = 1; run <= 3; ++run) {
    before.set_zero();
    add_often(exec, x);
    Cuda& other = aside.begin(exec);
    for_each(other, n, [=] TESSERA_HD(Offset i) { y[i] = x[i]; });
    add_often(other, y);
    aside.end(exec);
    for_each(exec, n, [=] TESSERA_HD(Offset i) { z[i] = x[i] + y[i]; });
    exec.synchronize();
    for (const double value : to_vector(both)) ASSERT_EQ(value, 3.0 * additions) << "in run " << run;
  }
}

TEST(CudaAside, IsUrgent) {
  TESSERA_REQUIRE(Cuda);
  Cuda exec;
  Aside<Cuda> aside;
  int usual = 0, urgent = 0;
  ASSERT_EQ(cudaStreamGetPriority(exec.stream(), &usual), cudaSuccess);
  ASSERT_EQ(cudaStreamGetPriority(aside.begin(exec).stream(), &urgent), cudaSuccess);
  aside.end(exec);
  EXPECT_LT(urgent, usual);  // the least number goes first
}

TEST(CudaAside, SeesWhatWasBeforeAndIsWaitedFor) {
  TESSERA_REQUIRE(Cuda);
  expect_order_of_aside();
}

}  // namespace tessera
