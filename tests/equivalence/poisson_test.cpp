// The CUDA backend against the threads reference, and repeatability of both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/backends.hpp"
#include "support/poisson.hpp"

namespace tessera::testing {
namespace {

template <class Exec>
Solved sample(Exec& exec, const std::string& shape, int order) {
  mesh::Mesh mesh = box(shape, mesh::dimension(mesh::shape_from_name(shape)) == 3 ? 5 : 9);
  distort(mesh);
  return solve_dirichlet(exec, mesh, order, "x*y+x", {}, "1+x");
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(a[i]));
  }
  return difference / scale;
}

template <class Exec>
class Repeatable : public ::testing::Test {};
TYPED_TEST_SUITE(Repeatable, Backends);

TYPED_TEST(Repeatable, TenRunsAreBitwiseEqual) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const char* shape : {"triangle", "tet", "hex"}) {
    const Solved first = sample(exec, shape, 2);
    for (int run = 1; run < 10; ++run) {
      const Solved again = sample(exec, shape, 2);
      ASSERT_EQ(first.values, again.values) << shape;
      ASSERT_EQ(first.u, again.u) << shape;
    }
  }
}

TEST(Threads, OneAndTwoThreadsAreBitwiseEqual) {
  Threads one(1), two(2);
  for (const char* shape : {"triangle", "quad", "tet", "hex", "prism"}) {
    const Solved a = sample(one, shape, 2), b = sample(two, shape, 2);
    EXPECT_EQ(a.values, b.values) << shape;
    EXPECT_EQ(a.u, b.u) << shape;
  }
}

/// Typed over the backends so that it needs no other build switch; threads against itself is the trivial case.
TYPED_TEST(Repeatable, AgreesWithThreads) {
  TESSERA_REQUIRE(TypeParam);
  Threads threads;
  TypeParam exec;
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
    for (int order = 1; order <= (std::string(shape) == "prism" ? 2 : 4); ++order) {
      const Solved a = sample(threads, shape, order), b = sample(exec, shape, order);
      EXPECT_LT(relative_difference(a.values, b.values), 1e-12) << shape << " P" << order;
      EXPECT_LT(relative_difference(a.u, b.u), 1e-10) << shape << " P" << order;
    }
}

}  // namespace
}  // namespace tessera::testing
