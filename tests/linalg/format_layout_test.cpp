// What each format stores, and what it refuses.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "linalg/cmrs.hpp"
#include "linalg/ell.hpp"
#include "linalg/packed_ell.hpp"
#include "linalg/sliced_ell.hpp"
#include "support/sparse_matrices.hpp"

namespace tessera {
namespace {

using testing::HostMatrix;

// The matrix (6.1) of the book, whose storage it prints.
HostMatrix book_matrix() {
  HostMatrix A;
  A.rows = A.cols = 5;
  A.row_ptr = {0, 2, 4, 6, 9, 10};
  A.col_ind = {0, 3, 1, 4, 2, 4, 2, 3, 4, 4};
  A.values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  return A;
}

TEST(Ell, IsThatOfTheBook) {
  Threads exec;
  const auto M = linalg::ell_from_crs(exec, book_matrix().to<Host>());
  EXPECT_EQ(M.columns, 3);
  EXPECT_EQ(to_vector(M.values), (std::vector<double>{1, 3, 5, 7, 10, 2, 4, 6, 8, 0, 0, 0, 0, 9, 0}));
  EXPECT_EQ(to_vector(M.col_ind), (std::vector<Index>{0, 1, 2, 2, 4, 3, 4, 4, 3, -1, -1, -1, -1, 4, -1}));
}

TEST(Ell, RefusesToPadWithoutEnd) {
  Threads exec;
  HostMatrix A;
  A.rows = A.cols = 50000;
  for (Index row = 0; row < A.rows; ++row) {
    for (Index col = 0; col < (row == 777 ? A.cols : 1); ++col) A.add(col, 1);
    A.end_row();
  }
  const auto crs = A.to<Host>();
  try {
    linalg::ell_from_crs(exec, crs);
    FAIL() << "50000 x 50000 entries were stored";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("the longest has 50000"), std::string::npos) << error.what();
    EXPECT_NE(error.help().find("sliced_ell"), std::string::npos);
  }
  EXPECT_NO_THROW(linalg::sliced_ell_from_crs(exec, crs));
}

TEST(SlicedEll, SortingRowsLessensThePadding) {
  Threads exec;
  const auto A = testing::random_matrix(5000, 5000, 60, 3).to<Host>();
  const auto plain = linalg::sliced_ell_from_crs(exec, A, {.window = 1});
  const auto sorted = linalg::sliced_ell_from_crs(exec, A, {.window = 1024});
  const auto chosen = linalg::sliced_ell_from_crs(exec, A);
  EXPECT_TRUE(plain.row_of.empty());
  EXPECT_LT(static_cast<double>(sorted.entries()), 1.1 * static_cast<double>(A.nnz()));
  EXPECT_GT(static_cast<double>(plain.entries()), 1.5 * static_cast<double>(A.nnz()));
  EXPECT_EQ(chosen.entries(), sorted.entries());
}

TEST(Cmrs, NoTwoLanesOfAChunkAddToTheSameSum) {
  Threads exec;
  const auto A = testing::random_matrix(3000, 3000, 40, 8).to<Host>();
  for (Index buffers : {2, 4, 8}) {
    const auto M = linalg::cmrs_from_crs(exec, A, {.buffers = buffers});
    const auto a = M.view();
    for (Offset chunk = 0; chunk < M.entries(); chunk += linalg::strip_chunk) {
      std::vector<bool> taken(static_cast<std::size_t>(linalg::strip_height * buffers));
      for (Offset lane = 0; lane < linalg::strip_chunk; ++lane) {
        if (a.is_padding(chunk + lane)) continue;
        const auto sum = static_cast<std::size_t>(a.strip_row(chunk + lane) * buffers + lane % buffers);
        ASSERT_FALSE(taken[sum]) << "M = " << buffers << ", chunk at " << chunk << ", lane " << lane;
        taken[sum] = true;
      }
    }
    if (buffers == 8) {
      EXPECT_LT(static_cast<double>(M.entries()), 1.2 * static_cast<double>(A.nnz()));
    }
  }
}

TEST(Cmrs, TheNumberOfBuffersFollowsFromTheRows) {
  Threads exec;
  const auto equal = linalg::cmrs_from_crs(exec, testing::banded(4096, 7).to<Host>(), {.buffers = 0});
  EXPECT_EQ(equal.buffers, 2);
  const auto uneven = testing::random_matrix(3000, 3000, 60, 8).to<Host>();
  const auto chosen = linalg::cmrs_from_crs(exec, uneven, {.buffers = 0});
  for (Index buffers : {2, 4, 8})
    EXPECT_LE(static_cast<double>(chosen.entries()),
              1.03 * static_cast<double>(linalg::cmrs_from_crs(exec, uneven, {.buffers = buffers}).entries()));
}

TEST(Cmrs, RefusesOtherNumbersOfBuffers) {
  Threads exec;
  const auto A = book_matrix().to<Host>();
  for (Index buffers : {-1, 1, 3, 5, 6, 7, 16})
    EXPECT_THROW(linalg::cmrs_from_crs(exec, A, {.buffers = buffers}), Error);
}

TEST(PackedEll, AGridTakesAQuarterOfAByteForAColumn) {
  Threads exec;
  const auto A = testing::laplacian(64, 3).to<Host>();
  const auto M = linalg::packed_ell_from_crs(exec, A);
  EXPECT_LT(static_cast<double>(M.words.bytes()), 0.3 * static_cast<double>(A.nnz()));
  EXPECT_LT(static_cast<double>(M.entries()), 1.05 * static_cast<double>(A.nnz()));
}

TEST(PackedEll, SortsRowsOfDifferentLengths) {
  Threads exec;
  const auto A = testing::random_matrix(5000, 5000, 60, 3).to<Host>();
  const auto M = linalg::packed_ell_from_crs(exec, A);
  EXPECT_FALSE(M.row_of.empty());
  EXPECT_LT(static_cast<double>(M.entries()), 1.1 * static_cast<double>(A.nnz()));
}

TEST(PackedEll, ColumnsFarApartEscapeTo32Bits) {
  Threads exec;
  HostMatrix A;  // rows of one slice reach columns 0 and 100000 in turns, other slices stay near
  A.rows = 96;
  A.cols = 200000;
  for (Index row = 0; row < A.rows; ++row) {
    A.add(row < 32 ? (row * 7919) % 200000 : 1000 + (row * 37) % 64, 1.0 + row);
    A.end_row();
  }
  const auto M = linalg::packed_ell_from_crs(exec, A.to<Host>());
  EXPECT_EQ(M.view().code(0), linalg::ColumnCode::columns);
  EXPECT_EQ(M.view().code(1), linalg::ColumnCode::deltas);
  EXPECT_EQ(to_vector(linalg::to_crs(exec, M).col_ind), A.col_ind);
}

TEST(Formats, ARefillFromAnotherPatternIsRefused) {
  Threads exec;
  auto M = linalg::ell_from_crs(exec, testing::laplacian(5, 2).to<Host>());
  EXPECT_THROW(linalg::assign_values(exec, testing::laplacian(6, 2).to<Host>(), M), Error);
}

}  // namespace
}  // namespace tessera
