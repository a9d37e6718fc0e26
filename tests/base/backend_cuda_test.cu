#include <gtest/gtest.h>

#include "base/parallel.hpp"
#include "support/backends.hpp"

namespace tessera {

void reduce_and_compare(Offset n) {
  Cuda exec;
  Array<double, Device> x(n), sum(1);
  View<double> v = x;
  for_each(exec, n, [=] TESSERA_HD(Offset i) { v[i] = 1.0 / static_cast<double>(i + 1); });
  double first = 0;
  for (int run = 0; run < 10; ++run) {
    reduce(
        exec, n, [=] TESSERA_HD(Offset i) { return v[i]; }, sum.data());
    const double value = to_vector(sum)[0];
    if (run == 0) first = value;
    EXPECT_EQ(first, value);
  }
  long double exact = 0;
  for (Offset i = 0; i < n; ++i) exact += 1.0L / static_cast<long double>(i + 1);
  EXPECT_NEAR(first, static_cast<double>(exact), 1e-12);
}

TEST(CudaParallel, ReduceIsRightAndRepeatable) {
  TESSERA_REQUIRE(Cuda);
  for (Offset n : {0, 1, 31, 257, 100000, 3000001}) reduce_and_compare(n);
}

}  // namespace tessera
