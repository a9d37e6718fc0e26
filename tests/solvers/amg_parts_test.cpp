// The parts that a hierarchy is made of, each against what it stands for.
#include <cmath>
#include <map>
#include <type_traits>

#include "solvers/amg/aggregation.hpp"
#include "solvers/amg/cycle_ops.hpp"
#include "solvers/amg/dense_inverse.hpp"
#include "solvers/amg/hierarchy.hpp"
#include "solvers/amg/prolongation.hpp"
#include "solvers/amg/sparse_product.hpp"
#include "solvers/amg_problems.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using namespace solvers::amg;
using testing::HostMatrix;

template <class Exec>
struct MultigridParts : ::testing::Test {
  using Space = typename Exec::Space;

  struct Coarsened {
    std::vector<Index> of_row;
    Index count = 0;
    HostMatrix P, R, coarse;
    HostMatrix P_in_parts, coarse_again;      ///< by pattern and values, refilled
    HostMatrix whole, in_parts, whole_again;  ///< the coarse matrix of the whole of A, by two products, refilled
    HostMatrix other, other_again;            ///< of a matrix with other values: made anew, refilled
  };

  template <class V>
  static HostMatrix on_host(const linalg::Crs<Space, V>& A) {
    HostMatrix result;
    result.rows = A.rows;
    result.cols = A.cols;
    result.row_ptr = to_vector(A.row_ptr);
    result.col_ind = to_vector(A.col_ind);
    for (const V value : to_vector(A.values)) result.values.push_back(value);
    return result;
  }

  /// One level down.
  static Coarsened coarsen(const HostMatrix& host, int threads = 2) {
    Exec exec = testing::with_threads<Exec>(threads);
    const auto matrix = host.to<Space>();
    const auto A = matrix.view();
    const auto scales = find_scales(exec, A);
    const Strength strength{scales.largest.view(), Strength::square(0.35)};
    auto graph = make_strong_graph(exec, A, strength);
    const Aggregates<Space> aggregates = aggregate(exec, A, scales.diagonal.view(), strength, graph);
    const auto P = make_prolongation<Exec, double>(exec, A, scales.diagonal.view(), strength, 0.6, {}, aggregates,
                                                   std::move(graph));
    const auto R = transpose(exec, P.view());
    auto coarse = galerkin_product(exec, R.view(), A, P.view(), true);
    auto whole = galerkin_product(exec, R.view(), A, P.view(), false);

    auto in_parts = prolongation_pattern<Exec, double>(exec, aggregates, make_strong_graph(exec, A, strength));
    prolongation_values(exec, A, scales.diagonal.view(), strength, 0.6, {}, aggregates.of_row.view(), in_parts.view());
    const auto AP = multiply(exec, A, P.view());
    Coarsened result{to_vector(aggregates.of_row),
                     aggregates.count,
                     on_host(P),
                     on_host(R),
                     on_host(coarse),
                     on_host(in_parts),
                     {},
                     on_host(whole),
                     on_host(multiply(exec, R.view(), AP.view())),
                     {},
                     {},
                     {}};
    coarse.values.set_zero();
    galerkin_values(exec, R.view(), A, P.view(), true, coarse);
    result.coarse_again = on_host(coarse);
    whole.values.set_zero();
    galerkin_values(exec, R.view(), A, P.view(), false, whole);
    result.whole_again = on_host(whole);

    HostMatrix other = host;
    for (Index row = 0; row < host.rows; ++row)
      for (Offset k = host.row_ptr[row]; k < host.row_ptr[row + 1]; ++k)
        other.values[static_cast<std::size_t>(k)] *= 1 + 0.1 * ((row + host.col_ind[static_cast<std::size_t>(k)]) % 3);
    const auto other_matrix = other.to<Space>();
    result.other = on_host(galerkin_product(exec, R.view(), other_matrix.view(), P.view(), true));
    galerkin_values(exec, R.view(), other_matrix.view(), P.view(), true, coarse);
    result.other_again = on_host(coarse);
    return result;
  }

  static HostMatrix multiplied(const HostMatrix& A, const HostMatrix& B) {
    Exec exec = testing::with_threads<Exec>(2);
    const auto a = A.to<Space>(), b = B.to<Space>();
    return on_host(multiply(exec, a.view(), b.view()));
  }
};
TYPED_TEST_SUITE(MultigridParts, testing::Backends);

HostMatrix naive_product(const HostMatrix& A, const HostMatrix& B) {
  HostMatrix C;
  C.rows = A.rows;
  C.cols = B.cols;
  for (Index row = 0; row < A.rows; ++row) {
    std::map<Index, double> sums;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      for (Offset e = B.row_ptr[A.col_ind[k]]; e < B.row_ptr[A.col_ind[k] + 1]; ++e)
        sums[B.col_ind[e]] += A.values[k] * B.values[e];
    for (const auto& [col, value] : sums) C.add(col, value);
    C.end_row();
  }
  return C;
}

void expect_near(const HostMatrix& found, const HostMatrix& expected, double tolerance) {
  ASSERT_EQ(found.row_ptr, expected.row_ptr);
  ASSERT_EQ(found.col_ind, expected.col_ind);
  for (std::size_t k = 0; k < found.values.size(); ++k) ASSERT_NEAR(found.values[k], expected.values[k], tolerance);
}

/// Matrices on a way from the cube's surface to the middle of coarse levels.
std::vector<HostMatrix> problems() {
  return {testing::laplacian(17, 3), testing::laplacian(60, 2), testing::laplacian(500, 1),
          testing::p1_tets({.cells = 14, .jitter = 0.15, .jump = 1e4}), testing::q1_hexes({.cells = 12, .aspect = 10})};
}

TYPED_TEST(MultigridParts, ProductsAreThoseOfTheDefinitionWhateverTheLengthOfRows) {
  TESSERA_REQUIRE(TypeParam);
  // Rows of some, of hundreds and of thousands of columns take different ways on CUDA.
  expect_near(this->multiplied(testing::random_matrix(300, 200, 6, 1), testing::random_matrix(200, 90, 5, 2)),
              naive_product(testing::random_matrix(300, 200, 6, 1), testing::random_matrix(200, 90, 5, 2)), 1e-13);
  for (const auto& [longest, cols] : {std::pair{14, 2000}, std::pair{40, 5000}, std::pair{200, 30000}}) {
    const HostMatrix A = testing::random_matrix(60, 400, longest, 3), B = testing::random_matrix(400, cols, longest, 4);
    expect_near(this->multiplied(A, B), naive_product(A, B), 1e-12);
  }
  const HostMatrix empty = testing::random_matrix(20, 30, 0, 1);
  expect_near(this->multiplied(empty, testing::random_matrix(30, 10, 3, 2)),
              naive_product(empty, testing::random_matrix(30, 10, 3, 2)), 0);
}

TYPED_TEST(MultigridParts, FirstColumnsOfAGraphAreThoseOfItsStrongEntries) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = testing::with_threads<TypeParam>(2);
  for (const HostMatrix& A : problems()) {
    const auto matrix = A.to<typename TypeParam::Space>();
    const auto scales = find_scales(exec, matrix.view());
    const auto graph = make_strong_graph(exec, matrix.view(), Strength{scales.largest.view(), Strength::square(0.35)});
    const std::vector<Offset> starts = to_vector(graph.row_ptr);
    const std::vector<Index> all = to_vector(graph.col_ind);
    ASSERT_GT(all.size(), 0U);
    for (const Index cols : {Index{0}, A.rows / 2, A.rows}) {
      std::vector<Offset> row_ptr{0};
      std::vector<Index> col_ind;
      for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
        for (Offset k = starts[row]; k < starts[row + 1]; ++k)
          if (all[static_cast<std::size_t>(k)] < cols) col_ind.push_back(all[static_cast<std::size_t>(k)]);
        row_ptr.push_back(static_cast<Offset>(col_ind.size()));
      }
      const auto some = first_columns(exec, graph, cols);
      EXPECT_EQ(some.rows, A.rows);
      EXPECT_EQ(to_vector(some.row_ptr), row_ptr) << cols;
      EXPECT_EQ(to_vector(some.col_ind), col_ind) << cols;
    }
  }
}

TYPED_TEST(MultigridParts, EveryFreeRowIsInAnAggregateAndEveryAggregateHasSome) {
  TESSERA_REQUIRE(TypeParam);
  for (const HostMatrix& A : problems()) {
    const auto coarse = this->coarsen(A);
    std::vector<int> members(static_cast<std::size_t>(coarse.count), 0);
    for (Index row = 0; row < A.rows; ++row) {
      bool alone = true;
      for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) alone &= A.col_ind[k] == row || A.values[k] == 0;
      const Index of_row = coarse.of_row[row];
      ASSERT_EQ(of_row < 0, alone) << row;
      ASSERT_LT(of_row, coarse.count);
      if (of_row >= 0) ++members[of_row];
    }
    for (const int count : members) ASSERT_GE(count, 2);
    EXPECT_LT(2.5 * coarse.count, A.rows);
  }
}

/// On every level: equal aggregates make matrices that differ by rounding, whose aggregates must be equal again.
TYPED_TEST(MultigridParts, AggregatesAreTheSameOnEveryBackendAndNumberOfThreads) {
  TESSERA_REQUIRE(TypeParam);
  for (HostMatrix A : problems()) {
    HostMatrix reference = A;
    for (int level = 0; level < 2; ++level) {
      auto found = this->coarsen(A, 3);
      auto expected = MultigridParts<Threads>::coarsen(reference, 1);
      ASSERT_EQ(found.of_row, expected.of_row) << "level " << level;
      ASSERT_EQ(found.coarse.col_ind, expected.coarse.col_ind);
      A = found.coarse;
      reference = expected.coarse;
    }
  }
}

TYPED_TEST(MultigridParts, RestrictionIsTheTransposeAndTheCoarseMatrixIsSymmetric) {
  TESSERA_REQUIRE(TypeParam);
  for (const HostMatrix& A : problems()) {
    const auto level = this->coarsen(A);
    std::map<std::pair<Index, Index>, double> transposed;
    for (Index row = 0; row < level.P.rows; ++row)
      for (Offset k = level.P.row_ptr[row]; k < level.P.row_ptr[row + 1]; ++k) {
        transposed[{level.P.col_ind[k], row}] = level.P.values[k];
        ASSERT_TRUE(k == level.P.row_ptr[row] || level.P.col_ind[k] > level.P.col_ind[k - 1]);
      }
    std::size_t entry = 0;
    for (const auto& [place, value] : transposed) {
      ASSERT_EQ(level.R.col_ind[entry], place.second);
      ASSERT_EQ(level.R.values[entry++], value);
    }
    ASSERT_EQ(entry, level.R.values.size());
    const HostMatrix expected = naive_product(level.R, naive_product(A, level.P));
    expect_near(level.coarse, expected, 1e-9);
    expect_near(level.whole, expected, 1e-9);
    std::map<std::pair<Index, Index>, double> entries;
    for (Index row = 0; row < level.coarse.rows; ++row)
      for (Offset k = level.coarse.row_ptr[row]; k < level.coarse.row_ptr[row + 1]; ++k)
        entries[{row, level.coarse.col_ind[k]}] = level.coarse.values[k];
    const double rounding = std::is_same_v<TypeParam, Threads> ? 0 : 1e-13;
    for (const auto& [place, value] : entries) {
      const double diagonal = entries.at({place.first, place.first});
      ASSERT_NEAR(value, entries.at({place.second, place.first}), rounding * diagonal);
    }
  }
}

TYPED_TEST(MultigridParts, WhatIsMadeAtOnceIsWhatIsMadeInParts) {
  TESSERA_REQUIRE(TypeParam);
  for (const HostMatrix& A : problems())
    for (const int threads : {1, 3}) {
      const auto level = this->coarsen(A, threads);
      EXPECT_EQ(level.P.values, level.P_in_parts.values);
      EXPECT_EQ(level.P.col_ind, level.P_in_parts.col_ind);
      EXPECT_EQ(level.P.row_ptr, level.P_in_parts.row_ptr);
      EXPECT_EQ(level.coarse.values, level.coarse_again.values);
      EXPECT_EQ(level.other.values, level.other_again.values);
      EXPECT_NE(level.other.values, level.coarse.values);
      EXPECT_EQ(level.whole.values, level.whole_again.values);
      EXPECT_EQ(level.whole.values, level.in_parts.values);
      EXPECT_EQ(level.whole.col_ind, level.in_parts.col_ind);
      EXPECT_EQ(level.whole.row_ptr, level.in_parts.row_ptr);
    }
}

TYPED_TEST(MultigridParts, ProlongationKeepsConstants) {
  TESSERA_REQUIRE(TypeParam);
  for (const HostMatrix& A : {testing::laplacian(12, 3, true),
                              testing::p1_tets({.cells = 12, .jitter = 0.15, .jump = 100, .fixed = false})}) {
    const HostMatrix P = this->coarsen(A).P;
    for (Index row = 0; row < P.rows; ++row) {
      double sum = 0;
      for (Offset k = P.row_ptr[row]; k < P.row_ptr[row + 1]; ++k) sum += P.values[k];
      ASSERT_NEAR(sum, 1, 1e-11);
    }
  }
}

TYPED_TEST(MultigridParts, TheInverseOfASemidefiniteMatrixSolvesWhatHasASolution) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const bool singular : {false, true})
    for (const int n : {1, 2, 7, 19}) {
      const HostMatrix A = testing::laplacian(n, 2, singular);
      if (singular && n == 1) continue;  // a matrix that is zero
      const auto matrix = A.template to<Space>();
      Array<double, Space> dense(Offset{A.rows} * A.rows), ratios(A.rows);
      spread(exec, std::as_const(matrix).view(), dense.view());
      invert_semidefinite(exec, A.rows, 1e-12, dense, ratios.view());
      const auto inverse = to_vector(dense);
      const auto exact = testing::random_vector(A.rows, 3), b = testing::product(A, exact);
      std::vector<double> x(b.size(), 0.0);
      for (std::size_t i = 0; i < b.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j) x[i] += inverse[i * b.size() + j] * b[j];
      EXPECT_LT(testing::relative_residual(A, b, x), 1e-11);
      int zero = 0;
      for (const double ratio : to_vector(ratios)) zero += ratio <= 1;
      EXPECT_EQ(zero, singular ? 1 : 0);
    }
}

TEST(MultigridSmoother, IsTheChebyshevPolynomialOfItsDegree) {
  const double rho = 1.7, centre = 0.625 * rho, half = 0.375 * rho;
  const auto chebyshev = [](int degree, double t) {
    return std::abs(t) <= 1
               ? std::cos(degree * std::acos(t))
               : std::copysign(1, degree % 2 && t < 0 ? -1.0 : 1.0) * std::cosh(degree * std::acosh(std::abs(t)));
  };
  for (int degree = 1; degree <= 4; ++degree) {
    const Smoother<double> q = make_smoother<double>(rho, degree);
    EXPECT_EQ(q.degree, degree);
    for (double t = 0; t <= rho; t += 0.05) {
      double sum = 0;
      for (int k = degree - 1; k >= 0; --k) sum = sum * t + q.a[k];
      EXPECT_NEAR(1 - t * sum, chebyshev(degree, (centre - t) / half) / chebyshev(degree, centre / half), 1e-13);
    }
  }
}

TYPED_TEST(MultigridParts, HierarchiesHaveTheSameLevelsOnEveryBackend) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  Threads reference(1);
  for (const HostMatrix& A :
       {testing::p1_tets({.cells = 24, .jitter = 0.15, .jump = 1e4}), testing::laplacian(90, 2)}) {
    const auto here = A.template to<Space>();
    const auto there = A.template to<Host>();
    Hierarchy<TypeParam, float> found({}, true);
    Hierarchy<Threads, float> expected({}, true);
    EXPECT_EQ(found.set_up(exec, here.view()), "");
    EXPECT_EQ(expected.set_up(reference, there.view()), "");
    ASSERT_EQ(found.sizes().size(), expected.sizes().size());
    for (std::size_t l = 0; l < found.sizes().size(); ++l) {
      EXPECT_EQ(found.sizes()[l].rows, expected.sizes()[l].rows);
      EXPECT_EQ(found.sizes()[l].entries, expected.sizes()[l].entries);
    }
    const auto r = testing::random_vector(A.rows, 4);
    const auto right = to_space<Space>(r);
    const auto right_there = to_space<Host>(r);
    Array<double, Space> z(A.rows);
    Array<double> z_there(A.rows);
    found.template apply<double>(exec, right, z.view());
    expected.apply<double>(reference, right_there, z_there.view());
    const auto mine = to_vector(z), theirs = to_vector(z_there);
    double difference = 0;
    for (std::size_t i = 0; i < mine.size(); ++i) difference = std::max(difference, std::abs(mine[i] - theirs[i]));
    EXPECT_LT(difference, 2e-5 * testing::norm(theirs) / std::sqrt(static_cast<double>(mine.size())));
  }
}

}  // namespace
}  // namespace tessera
