#include <cmath>
#include <limits>

#include "linalg/vector_ops.hpp"
#include "linalg/vector_ops_basis.hpp"
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
    linalg::update_r_dot(exec, {scalars.data(), scalars.data() + denominator}, q, {}, device_r.view(), sums.data(),
                         sums.data() + 1);
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

template <class T>
std::vector<T> rounded(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// Everything that a method of type T calls, against plain loops in double.
template <class Exec, class T>
void expect_passes_to_equal_plain_loops(double tolerance) {
  using Space = typename Exec::Space;
  using linalg::Scalar;
  Exec exec;
  for (Offset n : {1, 2, 3, 257, 5003}) {
    SCOPED_TRACE(n);
    const auto a = rounded<T>(testing::random_vector(n, 1)), b = rounded<T>(testing::random_vector(n, 2)),
               c = rounded<T>(testing::random_vector(n, 3)), d = rounded<T>(testing::random_vector(n, 4));
    const auto device_a = to_space<Space>(a), device_b = to_space<Space>(b), device_c = to_space<Space>(c);
    const auto numbers = to_space<Space>(std::vector<double>{0.5, -2, 0.25});
    const double* number = numbers.data();
    Array<double, Space> sums(8);

    auto y = to_space<Space>(d);
    linalg::combine(exec, y.view(), Scalar{2, number}, {{1}, device_a}, {{-1, number + 1}, device_b},
                    {{3, number + 2}, device_c});
    auto found = to_vector(y);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(found[i], d[i] + a[i] + 2.0 * b[i] + 0.75 * c[i], tolerance);
    linalg::combine(exec, y.view(), Scalar{}, {{1, number}, device_a});  // y is written over, not read
    found = to_vector(y);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(found[i], 0.5 * a[i], tolerance);

    double ab = 0, cc = 0, rr = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      ab += static_cast<double>(a[i]) * b[i];
      cc += static_cast<double>(c[i]) * c[i];
      rr += std::pow(static_cast<double>(a[i]) - d[i], 2);
    }
    linalg::dot_pair(exec, device_a.view(), device_b, device_c, device_c, sums.data(), sums.data() + 1);
    auto r = to_space<Space>(d);
    linalg::subtract_from_dot(exec, device_a, r.view(), sums.data() + 2);
    auto host = to_vector(sums);
    EXPECT_NEAR(host[0], ab, tolerance * static_cast<double>(n));
    EXPECT_NEAR(host[1], cc, tolerance * static_cast<double>(n));
    EXPECT_NEAR(host[2], rr, tolerance * static_cast<double>(n));
    found = to_vector(r);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(found[i], a[i] - d[i], tolerance);

    auto direction = to_space<Space>(c), z = to_space<Space>(d);
    linalg::chebyshev_step(exec, 0.5, 3, device_a, device_b, device_c, direction.view(), z.view());
    const auto found_d = to_vector(direction);
    found = to_vector(z);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double expected = 0.5 * c[i] + 3.0 * a[i] * (static_cast<double>(b[i]) - c[i]);
      ASSERT_NEAR(found_d[i], expected, 10 * tolerance);
      ASSERT_NEAR(found[i], d[i] + expected, 10 * tolerance);
    }
  }
}

TYPED_TEST(VectorOps, PassesEqualPlainLoopsInDouble) {
  TESSERA_REQUIRE(TypeParam);
  expect_passes_to_equal_plain_loops<TypeParam, double>(1e-14);
}
TYPED_TEST(VectorOps, PassesEqualPlainLoopsInFloat) {
  TESSERA_REQUIRE(TypeParam);
  expect_passes_to_equal_plain_loops<TypeParam, float>(1e-6);
}

TYPED_TEST(VectorOps, TheSingleReductionPassIsItsFormula) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  const double gamma = 3, gamma_old = 4, delta = 7, alpha_old = 0.5, beta = gamma / gamma_old,
               pq = delta - beta * gamma / alpha_old, alpha = gamma / pq;
  for (Offset n : {1, 300, 9000})
    for (bool scaled : {false, true}) {
      auto inverse = testing::random_vector(scaled ? n : 0, 6);
      for (double& value : inverse) value += 2;
      const auto w = testing::random_vector(n, 1), x = testing::random_vector(n, 2), r = testing::random_vector(n, 3),
                 p = testing::random_vector(n, 4), s = testing::random_vector(n, 5);
      const auto d_w = to_space<Space>(w), d_inverse = to_space<Space>(inverse);
      auto d_x = to_space<Space>(x), d_r = to_space<Space>(r), d_p = to_space<Space>(p), d_s = to_space<Space>(s);
      Array<double, Space> u(n), out(2), sums(2);
      linalg::copy(exec, d_r, u.view());
      const auto in = to_space<Space>(std::vector<double>{gamma, delta, gamma_old, alpha_old});
      const double* number = in.data();
      linalg::advance_single(exec, {number, number + 1, number + 2, number + 3, out.data(), out.data() + 1}, u,
                             d_inverse, d_w, d_x.view(), d_r.view(), d_p.view(), d_s.view(), u.view(), sums.data(),
                             sums.data() + 1);
      EXPECT_NEAR(to_vector(out)[0], alpha, 1e-15 * 4);
      EXPECT_NEAR(to_vector(out)[1], pq, 1e-14);
      const auto found_x = to_vector(d_x), found_r = to_vector(d_r), found_p = to_vector(d_p), found_s = to_vector(d_s),
                 found_u = to_vector(u), found = to_vector(sums);
      double rr = 0, ru = 0;
      for (std::size_t i = 0; i < w.size(); ++i) {
        const double direction = (scaled ? inverse[i] : 1) * r[i] + beta * p[i], product = w[i] + beta * s[i],
                     next = r[i] - alpha * product;
        ASSERT_NEAR(found_p[i], direction, 1e-14);
        ASSERT_NEAR(found_s[i], product, 1e-14);
        ASSERT_NEAR(found_x[i], x[i] + alpha * direction, 1e-14);
        ASSERT_NEAR(found_r[i], next, 1e-14);
        if (scaled) {
          ASSERT_NEAR(found_u[i], inverse[i] * next, 1e-13);
        }
        rr += next * next;
        ru += next * next * (scaled ? inverse[i] : 1);
      }
      EXPECT_NEAR(found[0], rr, 1e-12 * rr);
      EXPECT_NEAR(found[1], ru, 1e-12 * ru);
    }
}

template <class Exec, class T>
void expect_a_basis_to_be_orthogonalised(double tolerance) {
  using Space = typename Exec::Space;
  Exec exec;
  const Offset rows = 3001;
  for (Offset count : {1, 2, 3, 5, 8, 15, 16, 23}) {
    Array<T, Space> storage((count + 1) * rows);
    Array<double, Space> h(count + 1), square(1);
    const linalg::Basis<T> V{storage.view(), rows};
    // Gram-Schmidt twice on random vectors, one after the other.
    for (Offset k = 0; k <= count; ++k) {
      linalg::fill_random(exec, V[k], static_cast<unsigned>(k + 1));
      for (int round = 0; round < 2; ++round) {
        linalg::basis_dot(exec, V, k, V[k], h.data());
        linalg::basis_add(exec, -1, V, k, h.data(), V[k]);
      }
      linalg::dot(exec, V[k], V[k], square.data());
      linalg::normalise(exec, square.data(), V[k], V[k]);
    }
    for (Offset k = 0; k <= count; ++k) {
      linalg::basis_dot(exec, V, count + 1, V[k], h.data());
      const auto found = to_vector(h);
      for (Offset l = 0; l <= count; ++l) ASSERT_NEAR(found[l], k == l, tolerance) << count;
    }
  }
}

TYPED_TEST(VectorOps, ABasisIsOrthogonalised) {
  TESSERA_REQUIRE(TypeParam);
  expect_a_basis_to_be_orthogonalised<TypeParam, double>(1e-14);
  expect_a_basis_to_be_orthogonalised<TypeParam, float>(1e-6);
}

TYPED_TEST(VectorOps, ConversionsRoundAndScale) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  const auto x = testing::random_vector(1000, 1);
  const auto device_x = to_space<Space>(x);
  Array<float, Space> single(1000);
  linalg::convert(exec, device_x.view(), single.view());
  auto found = to_vector(single);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(found[i], static_cast<float>(x[i]));
  linalg::convert_scaled(exec, 3, device_x.view(), single.view());
  found = to_vector(single);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(found[i], static_cast<float>(3 * x[i]));
  auto y = to_space<Space>(x);
  linalg::add_scaled(exec, -2, View<const float>(single.view()), y.view());
  const auto sum = to_vector(y);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(sum[i], x[i] - 2.0 * found[i], 1e-15 * 8);
}

TYPED_TEST(VectorOps, RandomNumbersAreTheSameEverywhere) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Threads reference(1);
  Array<double, typename TypeParam::Space> x(5000);
  Array<double> expected(5000);
  linalg::fill_random(exec, x.view(), 7);
  linalg::fill_random(reference, expected.view(), 7);
  const auto found = to_vector(x);
  EXPECT_EQ(found, to_vector(expected));
  double mean = 0, square = 0;
  for (double value : found) {
    ASSERT_LT(std::abs(value), 1);
    mean += value / 5000;
    square += value * value / 5000;
  }
  EXPECT_NEAR(mean, 0, 0.05);
  EXPECT_NEAR(square, 1.0 / 3, 0.02);
}

TYPED_TEST(VectorOps, RandomNumbersAreThoseOfTheGlobalRows) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  Array<double, Space> all(3000), upper(1100);
  linalg::fill_random(exec, all.view(), 5);
  linalg::fill_random(exec, upper.view(), 5, 1900);
  const auto expected = to_vector(all), found = to_vector(upper);
  EXPECT_EQ(found, std::vector<double>(expected.begin() + 1900, expected.end()));
  // Written down once, so that results of one version are those of the next.
  Array<double, Space> first(2);
  linalg::fill_random(exec, first.view(), 1);
  EXPECT_EQ(to_vector(first), (std::vector<double>{0x1.10a2dec890258p-3, 0x1.f75c6d0b2c774p-2}));
  // Beyond 32 bits too.
  linalg::fill_random(exec, first.view(), 1, Offset{1} << 32);
  EXPECT_NE(to_vector(first)[0], 0x1.10a2dec890258p-3);
}

TYPED_TEST(VectorOps, DiagonalsOfEitherSignAreInverted) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  const std::vector<double> d{4, -2, 0, 0.5};
  for (auto [sign, bad, expected] : {std::tuple{linalg::Sign::positive, 2.0, std::vector<double>{0.25, 0, 0, 2}},
                                     {linalg::Sign::magnitude, 1.0, {0.25, 0.5, 0, 2}},
                                     {linalg::Sign::any, 1.0, {0.25, -0.5, 0, 2}}}) {
    auto device = to_space<Space>(d);
    Array<double, Space> count(1);
    linalg::invert_diagonal(exec, device.view(), count.data(), sign);
    EXPECT_EQ(to_vector(count)[0], bad);
    EXPECT_EQ(to_vector(device), expected);
  }
}

TEST(VectorOpsOnThreads, DoNotDependOnTheirNumber) {
  const auto x = to_space<Host>(testing::random_vector(100000, 1)),
             q = to_space<Host>(testing::random_vector(100000, 2));
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
