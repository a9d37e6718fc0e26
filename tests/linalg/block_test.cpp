// Block rows: every format x precision x backend x size of blocks against the same matrix entry by entry.
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "linalg/block_sliced_ell.hpp"
#include "linalg/spmv.hpp"
#include "linalg/vector_ops.hpp"
#include "support/block_matrices.hpp"
#include "support/precisions.hpp"

namespace tessera {
namespace {

using testing::HostBlocks;
using testing::HostMatrix;

constexpr int block_sizes[] = {1, 2, 3, 4, 7};

std::vector<std::pair<std::string, HostBlocks>> matrices(int block) {
  const std::pair<const char*, HostMatrix> patterns[] = {
      {"no rows", testing::random_matrix(0, 5, 0, 1)},
      {"no columns", testing::random_matrix(5, 0, 0, 1)},
      {"no blocks", testing::random_matrix(70, 70, 0, 1)},
      {"one block", testing::banded(1, 0)},
      {"tridiagonal", testing::banded(300, 1)},
      {"grid", testing::laplacian(7, 3)},
      {"long rows", testing::banded(150, 40)},
      {"power law", testing::power_law(700, 700, 2, 300)},
      {"mostly empty", testing::mostly_empty(503, 50, 5, 50)},
      {"one dense row", testing::one_dense_row(500, 500)},
      {"wide", testing::random_matrix(33, 4000, 16, 7)},
      {"tall", testing::random_matrix(2000, 40, 16, 8)},
  };
  std::vector<std::pair<std::string, HostBlocks>> result;
  for (const auto& [name, pattern] : patterns)
    result.push_back({std::string(name) + ", blocks of " + std::to_string(block),
                      testing::blocks_in(pattern, block, static_cast<unsigned>(17 + block))});
  return result;
}

template <class C>
struct Blocks : ::testing::Test {
  using Exec = typename C::Exec;
  using T = typename C::T;
  using Space = typename Exec::Space;

  /// check(host, A, M, name) for every matrix A in every format M of block rows.
  template <class Check>
  static void for_all(Check check) {
    Exec exec;
    for (int block : block_sizes)
      for (const auto& [name, host] : matrices(block)) {
        const auto A = host.template to<Space, T>();
        {
          SCOPED_TRACE(name + " in block_crs");
          check(exec, host, A, A);
        }
        for (Index window : {0, 1, 96}) {
          SCOPED_TRACE(name + " in block_sliced_ell, window " + std::to_string(window));
          check(exec, host, A, linalg::block_sliced_ell_from_blocks(exec, A, {.window = window}));
        }
        if (::testing::Test::HasFatalFailure()) return;
      }
  }
};
TYPED_TEST_SUITE(Blocks, testing::DoubleAndFloat, testing::PrecisionNames);

template <class T>
std::vector<T> rounded(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

TYPED_TEST(Blocks, ProductsEqualThoseOfEveryEntry) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Exec::Space;
  this->for_all([](auto& exec, const HostBlocks& host, const auto& A, const auto& M) {
    const HostMatrix entries = host.expanded();
    const auto x = rounded<T>(testing::random_vector(A.cols, 11)), b = rounded<T>(testing::random_vector(A.rows, 12)),
               d = rounded<T>(testing::random_vector(A.rows, 13));
    const auto in = to_space<Space>(x), right = to_space<Space>(b), added = to_space<Space>(d);
    Array<T, Space> y(A.rows), r(A.rows), q(A.rows);
    Array<double, Space> sums(2);
    sums.set_zero();
    const bool square = A.rows == A.cols;
    linalg::spmv(exec, M.view(), in, y.view());
    linalg::residual(exec, M.view(), in, right, r.view(), sums.data());
    if (square) linalg::spmv_dot(exec, M.view(), in, q.view(), sums.data() + 1, added);
    const auto found = to_vector(y), found_r = to_vector(r), found_q = to_vector(q);
    double rr = 0, pq = 0, pq_scale = 0;
    for (Index row = 0; row < A.rows; ++row) {
      double expected = 0, scale = 0;
      for (Offset k = entries.row_ptr[row]; k < entries.row_ptr[row + 1]; ++k) {
        const double term = static_cast<double>(static_cast<T>(entries.values[k])) * x[entries.col_ind[k]];
        expected += term;
        scale += std::abs(term);
      }
      const double terms = 8 + static_cast<double>(entries.row_ptr[row + 1] - entries.row_ptr[row]);
      const double tolerance = terms * std::numeric_limits<T>::epsilon();
      ASSERT_NEAR(found[row], expected, tolerance * scale) << "row " << row;
      ASSERT_NEAR(found_r[row], b[row] - expected, tolerance * (scale + std::abs(b[row]))) << "row " << row;
      rr += static_cast<double>(found_r[row]) * found_r[row];
      if (!square) continue;
      ASSERT_NEAR(found_q[row], expected + static_cast<double>(d[row]) * x[row], tolerance * (scale + 1)) << row;
      pq += static_cast<double>(x[row]) * found_q[row];
      pq_scale += std::abs(static_cast<double>(x[row]) * found_q[row]);
    }
    const auto found_sums = to_vector(sums);
    EXPECT_NEAR(found_sums[0], rr, 1e-12 * rr);
    EXPECT_NEAR(found_sums[1], pq, 1e-12 * pq_scale);
  });
}

TYPED_TEST(Blocks, ExpandingGivesEveryEntry) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  this->for_all([](auto& exec, const HostBlocks& host, const auto& A, const auto& M) {
    const HostMatrix expected = host.expanded();
    auto found = linalg::to_crs(exec, M);
    EXPECT_EQ(found.rows, A.rows);
    EXPECT_EQ(found.cols, A.cols);
    EXPECT_EQ(to_vector(found.row_ptr), expected.row_ptr);
    EXPECT_EQ(to_vector(found.col_ind), expected.col_ind);
    EXPECT_EQ(to_vector(found.values), rounded<T>(expected.values));
    found.values.set_zero();
    linalg::expand_values(exec, M.view(), found);
    EXPECT_EQ(to_vector(found.values), rounded<T>(expected.values));
  });
}

TYPED_TEST(Blocks, DiagonalsAreThoseOfEveryEntry) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Exec::Space;
  this->for_all([](auto& exec, const HostBlocks& host, const auto& A, const auto& M) {
    const HostMatrix entries = host.expanded();
    const Index block = A.block;
    std::vector<T> expected(static_cast<std::size_t>(std::min(A.rows, A.cols))), expected_blocks;
    if (A.rows == A.cols) expected_blocks.assign(static_cast<std::size_t>(Offset{A.rows} * block), 0);
    for (Index row = 0; row < A.rows; ++row)
      for (Offset k = entries.row_ptr[row]; k < entries.row_ptr[row + 1]; ++k) {
        const Index col = entries.col_ind[k];
        if (col == row) expected[row] = static_cast<T>(entries.values[k]);
        if (A.rows == A.cols && col / block == row / block)
          expected_blocks[Offset{row} * block + col % block] = static_cast<T>(entries.values[k]);
      }
    Array<T, Space> found(std::min(A.rows, A.cols)), blocks(static_cast<Offset>(expected_blocks.size()));
    linalg::extract_diagonal(exec, M.view(), found.view());
    EXPECT_EQ(to_vector(found), expected);
    if (A.rows != A.cols) return;
    linalg::extract_diagonal_blocks(exec, M.view(), blocks.view());
    EXPECT_EQ(to_vector(blocks), expected_blocks);
  });
}

TYPED_TEST(Blocks, RefillingEqualsConverting) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Exec::Space;
  typename TypeParam::Exec exec;
  for (int block : block_sizes)
    for (const auto& [name, host] : matrices(block)) {
      SCOPED_TRACE(name);
      auto M = linalg::block_sliced_ell_from_blocks(exec, host.template to<Space, T>());
      HostBlocks others = host;
      for (double& value : others.values) value = 1 - 2 * value;
      const auto B = others.template to<Space, T>();
      linalg::assign_values(exec, B, M);
      EXPECT_EQ(to_vector(M.values), to_vector(linalg::block_sliced_ell_from_blocks(exec, B).values));
    }
  auto M = linalg::block_sliced_ell_from_blocks(exec, testing::vector_laplacian(4, 2, 2).template to<Space, T>());
  EXPECT_THROW(linalg::assign_values(exec, testing::vector_laplacian(4, 2, 3).template to<Space, T>(), M), Error);
}

/// Entries of x that no block names may be infinite or no numbers.
TYPED_TEST(Blocks, PaddingIsNeverMultiplied) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Exec::Space;
  typename TypeParam::Exec exec;
  HostMatrix pattern = testing::random_matrix(333, 333, 9, 5);
  for (Index& col : pattern.col_ind)
    if (col == 0 || col == 332) col = 1;  // (repeats a column, which is fine for a product)
  for (int block : block_sizes) {
    SCOPED_TRACE(block);
    const auto A = testing::blocks_in(pattern, block, 3).template to<Space, T>();
    std::vector<T> x(static_cast<std::size_t>(A.cols), T{1});
    for (int i = 0; i < block; ++i) {
      x[i] = std::numeric_limits<T>::quiet_NaN();
      x[A.cols - 1 - i] = std::numeric_limits<T>::infinity();
    }
    const auto in = to_space<Space>(x);
    Array<T, Space> y(A.rows);
    linalg::spmv(exec, A.view(), in, y.view());
    for (T value : to_vector(y)) ASSERT_TRUE(std::isfinite(value));
    linalg::spmv(exec, linalg::block_sliced_ell_from_blocks(exec, A).view(), in, y.view());
    for (T value : to_vector(y)) ASSERT_TRUE(std::isfinite(value));
  }
}

TYPED_TEST(Blocks, ProductsRepeatBitwiseWhateverTheNumberOfThreads) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::T;
  using Space = typename Exec::Space;
  for (int block : {2, 3, 5}) {
    const auto A = testing::blocks_in(testing::random_matrix(7000, 7000, 25, 3), block, 4).template to<Space, T>();
    const auto p = to_space<Space>(rounded<T>(testing::random_vector(A.rows, 5)));
    std::vector<T> first[2];
    double first_sum[2] = {};
    for (int threads : {1, 2, 3, 7}) {
      Exec exec = testing::with_threads<Exec>(threads);
      Array<T, Space> q(A.rows);
      Array<double, Space> pq(1);
      const auto sliced = linalg::block_sliced_ell_from_blocks(exec, A);
      for (int format : {0, 1}) {
        if (format == 0)
          linalg::spmv_dot(exec, A.view(), p, q.view(), pq.data());
        else
          linalg::spmv_dot(exec, sliced.view(), p, q.view(), pq.data());
        if (threads == 1) first[format] = to_vector(q), first_sum[format] = to_vector(pq)[0];
        EXPECT_EQ(to_vector(q), first[format]) << threads;
        EXPECT_EQ(to_vector(pq)[0], first_sum[format]) << threads;
      }
    }
  }
}

}  // namespace
}  // namespace tessera
