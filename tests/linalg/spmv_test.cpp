#include <cmath>
#include <limits>

#include "linalg/spmv.hpp"
#include "support/backends.hpp"
#include "support/matrices.hpp"

namespace tessera {
namespace {

using testing::HostMatrix;

/// y = A x and |A| |x|, the scale of its rounding errors.
void reference(const HostMatrix& A, const std::vector<double>& x, std::vector<double>& y, std::vector<double>& scale) {
  y.assign(static_cast<std::size_t>(A.rows), 0);
  scale = y;
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      y[row] += A.values[k] * x[A.col_ind[k]];
      scale[row] += std::abs(A.values[k] * x[A.col_ind[k]]);
    }
}

template <class Exec>
struct Spmv : ::testing::Test {
  using Space = typename Exec::Space;

  static void check(const HostMatrix& A, unsigned seed = 1) {
    Exec exec;
    const auto x = testing::random_vector(A.cols, seed);
    std::vector<double> expected, scale;
    reference(A, x, expected, scale);
    const auto matrix = A.template to<Space>();
    const auto device_x = to_space<Space>(x);
    Array<double, Space> y(A.rows);
    linalg::spmv(exec, matrix.view(), device_x, y.view());
    const auto found = to_vector(y);
    for (std::size_t row = 0; row < found.size(); ++row)
      ASSERT_NEAR(found[row], expected[row], 1e-14 * scale[row]) << "row " << row << " of " << A.rows;
  }
};
TYPED_TEST_SUITE(Spmv, testing::Backends);

TYPED_TEST(Spmv, RandomMatricesOfManyShapesAndRowLengths) {
  TESSERA_REQUIRE(TypeParam);
  unsigned seed = 7;
  for (int longest : {0, 1, 3, 8, 15, 27, 60, 130, 700}) {
    for (auto [rows, cols] : {std::pair{1, 1}, {3, 1000}, {1000, 3}, {511, 513}, {5000, 5000}, {10001, 777}}) {
      ++seed;
      this->check(testing::random_matrix(rows, cols, longest, seed), seed);
    }
  }
}

TYPED_TEST(Spmv, EmptyMatrices) {
  TESSERA_REQUIRE(TypeParam);
  for (auto [rows, cols] : {std::pair{0, 0}, {0, 5}, {5, 0}, {4, 4}})
    this->check(testing::random_matrix(rows, cols, 0, 1));
}

TYPED_TEST(Spmv, OneFullRowAmongEmptyOnes) {
  TESSERA_REQUIRE(TypeParam);
  HostMatrix A;
  A.rows = 3000;
  A.cols = 20000;
  for (Index row = 0; row < A.rows; ++row) {
    if (row == 1234)
      for (Index col = 0; col < A.cols; ++col) A.add(col, 1.0 / (1 + col));
    A.end_row();
  }
  this->check(A);
}

TYPED_TEST(Spmv, EntriesOfXThatNoRowNamesDoNotMatter) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  HostMatrix A;
  A.rows = A.cols = 100;
  for (Index row = 0; row < 100; ++row) {
    if (row > 0) A.add(row, 2);
    A.end_row();
  }
  std::vector<double> x(100, 1.0);
  x[0] = std::numeric_limits<double>::quiet_NaN();
  const auto matrix = A.to<Space>();
  const auto device_x = to_space<Space>(x);
  Array<double, Space> y(100);
  linalg::spmv(exec, matrix.view(), device_x, y.view());
  const auto found = to_vector(y);
  EXPECT_EQ(found[0], 0);
  for (int row = 1; row < 100; ++row) EXPECT_EQ(found[row], 2);
}

TYPED_TEST(Spmv, LaplacianOfAConstantIsZero) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  const auto A = testing::laplacian(40, 3, true).to<Space>();
  const auto x = to_space<Space>(std::vector<double>(static_cast<std::size_t>(A.rows), 3.25));
  Array<double, Space> y(A.rows);
  linalg::spmv(exec, A.view(), x, y.view());
  for (double value : to_vector(y)) ASSERT_EQ(value, 0);
}

TYPED_TEST(Spmv, FusedDotAndResidualEqualTheirParts) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  for (int n : {1, 2, 37, 200}) {
    const HostMatrix host = testing::laplacian(n, 2);
    const auto A = host.to<Space>();
    const auto p = testing::random_vector(A.rows, 3), b = testing::random_vector(A.rows, 4);
    std::vector<double> ap, scale;
    reference(host, p, ap, scale);
    double pq = 0, rr = 0, size = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      pq += p[i] * ap[i];
      rr += (b[i] - ap[i]) * (b[i] - ap[i]);
      size += std::abs(p[i]) * scale[i];
    }
    const auto device_p = to_space<Space>(p), device_b = to_space<Space>(b);
    Array<double, Space> q(A.rows), r(A.rows), sums(2);
    linalg::spmv_dot(exec, A.view(), device_p, q.view(), sums.data());
    linalg::residual(exec, A.view(), device_p, device_b, r.view(), sums.data() + 1);
    const auto found = to_vector(sums);
    EXPECT_NEAR(found[0], pq, 1e-13 * size);
    EXPECT_NEAR(found[1], rr, 1e-13 * rr);
    const auto found_q = to_vector(q), found_r = to_vector(r);
    for (std::size_t i = 0; i < p.size(); ++i) {
      ASSERT_NEAR(found_q[i], ap[i], 1e-14 * scale[i]);
      ASSERT_NEAR(found_r[i], b[i] - ap[i], 1e-14 * (scale[i] + std::abs(b[i])));
    }
  }
}

/// So many rows that CUDA takes them as a stream of entries: lengths from 0 to 30, some of hundreds across its chunks.
TYPED_TEST(Spmv, ManyRowsOfUnevenLengths) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  HostMatrix host;
  host.rows = host.cols = 600'011;
  host.row_ptr = {0};
  for (Index row = 0; row < host.rows; ++row) {
    const Index length = row % 1000 == 999 ? 256 + row / 1000 : row % 31 * 7919 % 31;
    for (Index k = 0; k < length; ++k) {
      host.col_ind.push_back((row + k * 41) % host.cols);
      host.values.push_back(1 + (row + 3 * k) % 17);  // small integers: every sum is exact
    }
    host.row_ptr.push_back(static_cast<Offset>(host.col_ind.size()));
  }
  std::vector<double> p(static_cast<std::size_t>(host.rows)), expected, scale, difference;
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = static_cast<double>(i % 13) - 6;
  reference(host, p, expected, scale);
  double pq = 0, rr = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    pq += p[i] * expected[i];
    difference.push_back(p[i] - expected[i]);
    rr += difference.back() * difference.back();
  }
  const auto A = host.template to<Space>();
  const auto x = to_space<Space>(p);
  Array<double, Space> y(A.rows), q(A.rows), r(A.rows), sums(2);
  linalg::spmv(exec, A.view(), x, y.view());
  linalg::spmv_dot(exec, A.view(), x, q.view(), sums.data());
  linalg::residual(exec, A.view(), x, x, r.view(), sums.data() + 1);
  EXPECT_EQ(to_vector(y), expected);
  EXPECT_EQ(to_vector(q), expected);
  EXPECT_EQ(to_vector(r), difference);
  EXPECT_EQ(to_vector(sums), (std::vector<double>{pq, rr}));
}

TYPED_TEST(Spmv, RepeatsBitwise) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  const auto A = testing::laplacian(60, 3).to<Space>();
  const auto p = to_space<Space>(testing::random_vector(A.rows, 5));
  std::vector<double> first;
  for (int round = 0; round < 3; ++round) {
    TypeParam exec;
    Array<double, Space> q(A.rows), pq(1);
    linalg::spmv_dot(exec, A.view(), p, q.view(), pq.data());
    auto found = to_vector(q);
    found.push_back(to_vector(pq)[0]);
    if (round == 0) first = found;
    EXPECT_EQ(found, first);
  }
}

TEST(SpmvOnThreads, DoesNotDependOnTheirNumber) {
  const auto A = testing::random_matrix(20000, 20000, 25, 9).to<Host>();
  const auto p = to_space<Host>(testing::random_vector(A.rows, 5));
  std::vector<double> first;
  for (int threads : {1, 2, 3, 7}) {
    Threads exec(threads);
    Array<double> q(A.rows);
    double pq = 0;
    linalg::spmv_dot(exec, A.view(), p, q.view(), &pq);
    auto found = to_vector(q);
    found.push_back(pq);
    if (threads == 1) first = found;
    EXPECT_EQ(found, first) << threads;
  }
}

}  // namespace
}  // namespace tessera
