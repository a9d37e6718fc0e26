#include <cmath>
#include <limits>

#include "linalg/vector_ops.hpp"
#include "support/backends.hpp"
#include "support/matrices.hpp"

namespace tessera {
namespace {

template <class Exec>
struct VectorOps : ::testing::Test {};
TYPED_TEST_SUITE(VectorOps, testing::Backends);

TYPED_TEST(VectorOps, SimpleOnes) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  for (Offset n : {0, 1, 1000, 5000, 100003}) {
    const auto x = testing::random_vector(n, 1), y = testing::random_vector(n, 2);
    const auto device_x = to_space<Space>(x), device_y = to_space<Space>(y);
    Array<double, Space> z(n), sum(1);
    linalg::copy(exec, device_y, z.view());
    linalg::scale(exec, 3, z.view());
    linalg::axpy(exec, -0.5, device_x, z.view());
    auto found = to_vector(z);
    double expected_dot = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(found[i], 3 * y[i] - 0.5 * x[i], 1e-15 * 4);
      expected_dot += x[i] * y[i];
    }
    linalg::dot(exec, device_x.view(), device_y, sum.data());
    EXPECT_NEAR(to_vector(sum)[0], expected_dot, 1e-15 * static_cast<double>(n + 1));
    linalg::multiply(exec, device_x, device_y, z.view());
    found = to_vector(z);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(found[i], x[i] * y[i]);
    linalg::fill(exec, z.view(), 2.5);
    for (double value : to_vector(z)) ASSERT_EQ(value, 2.5);
  }
}

TYPED_TEST(VectorOps, FusedUpdatesEqualTheirParts) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  for (Offset n : {1, 300, 40000})
    for (bool with_diagonal : {false, true}) {
      const auto q = testing::random_vector(n, 1), r = testing::random_vector(n, 2), x = testing::random_vector(n, 3),
                 p = testing::random_vector(n, 4);
      auto d = testing::random_vector(with_diagonal ? n : 0, 5);
      for (double& value : d) value = 2 + value;
      const auto scalars = to_space<Space>(std::vector<double>{3, 4, 5, 8});
      const double alpha = 0.75, beta = 0.625;
      const auto device_q = to_space<Space>(q), device_d = to_space<Space>(d);
      auto device_r = to_space<Space>(r), device_x = to_space<Space>(x), device_p = to_space<Space>(p);
      Array<double, Space> sums(2);
      const linalg::Quotient a{scalars.data(), scalars.data() + 1}, b{scalars.data() + 2, scalars.data() + 3};
      linalg::update_r_dot(exec, a, device_q, device_d, device_r.view(), sums.data(), sums.data() + 1);
      linalg::update_x_p(exec, a, b, device_r, device_d, device_x.view(), device_p.view());
      const auto found_r = to_vector(device_r), found_x = to_vector(device_x), found_p = to_vector(device_p),
                 found = to_vector(sums);
      double rr = 0, rz = 0;
      for (std::size_t i = 0; i < q.size(); ++i) {
        const double next = r[i] - alpha * q[i], z = with_diagonal ? d[i] * next : next;
        rr += next * next;
        rz += next * z;
        ASSERT_NEAR(found_r[i], next, 1e-15);
        ASSERT_NEAR(found_x[i], x[i] + alpha * p[i], 1e-15);
        ASSERT_NEAR(found_p[i], z + beta * p[i], 1e-14);
      }
      EXPECT_NEAR(found[0], rr, 1e-13 * rr);
      EXPECT_NEAR(found[1], rz, 1e-13 * rz);
    }
}

TYPED_TEST(VectorOps, AQuotientOverZeroLeavesVectorsAlone) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  const auto scalars = to_space<Space>(std::vector<double>{3, 0, std::numeric_limits<double>::quiet_NaN()});
  const auto r = testing::random_vector(500, 2);
  const auto q = to_space<Space>(r);
  for (int denominator : {1, 2}) {
    auto device_r = to_space<Space>(r);
    Array<double, Space> sums(2);
    linalg::update_r_dot(exec, {scalars.data(), scalars.data() + denominator}, q, {}, device_r.view(), sums.data(), sums.data() + 1);
    EXPECT_EQ(to_vector(device_r), r);
  }
}

TYPED_TEST(VectorOps, DiagonalIsFoundInvertedAndDoubted) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  testing::HostMatrix A;
  A.rows = A.cols = 6;
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double diagonal[] = {4, 0, -2, nan, infinity, 0.5};
  for (Index row = 0; row < 6; ++row) {
    if (row > 0) A.add(0, 7);
    if (row != 1) A.add(row, diagonal[row]);
    if (row < 5) A.add(5, 9);
    A.end_row();
  }
  const auto matrix = A.to<Space>();
  Array<double, Space> d(6), bad(1);
  linalg::extract_diagonal(exec, matrix.view(), d.view());
  auto found = to_vector(d);
  for (int i : {0, 1, 2, 4, 5}) EXPECT_EQ(found[i], diagonal[i]);
  EXPECT_TRUE(std::isnan(found[3]));
  linalg::invert_diagonal(exec, d.view(), bad.data());
  EXPECT_EQ(to_vector(bad)[0], 4);
  EXPECT_EQ(to_vector(d), (std::vector<double>{0.25, 0, 0, 0, 0, 2}));
}

TEST(VectorOpsOnThreads, DoNotDependOnTheirNumber) {
  const auto x = to_space<Host>(testing::random_vector(100000, 1)), q = to_space<Host>(testing::random_vector(100000, 2));
  std::vector<double> first;
  for (int threads : {1, 2, 5}) {
    Threads exec(threads);
    auto r = to_space<Host>(testing::random_vector(100000, 3));
    double rr = 0, rz = 0, xq = 0, numerator = 1, denominator = 3;
    linalg::dot(exec, x.view(), q, &xq);
    linalg::update_r_dot(exec, {&numerator, &denominator}, q, x, r.view(), &rr, &rz);
    const std::vector<double> found{xq, rr, rz};
    if (threads == 1) first = found;
    EXPECT_EQ(found, first) << threads;
  }
}

}  // namespace
}  // namespace tessera
