#include "linalg/matrix_market.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "support/sparse_matrices.hpp"

namespace tessera {
namespace {

using linalg::MarketField;
using linalg::MarketSymmetry;
using testing::HostMatrix;

std::string path_of(const std::string& name) {
  static const std::string folder = [] {
    const auto made = std::filesystem::path(::testing::TempDir()) / ("tessera_market_" + std::to_string(getpid()));
    std::filesystem::create_directories(made);
    return made.string();
  }();
  return folder + "/" + name;
}

std::string file(const std::string& text) {
  const std::string path = path_of("in.mtx");
  std::ofstream(path) << text;
  return path;
}

linalg::Crs<Host> read(const std::string& text) { return linalg::read_matrix_market(file(text)); }

/// The error that reading a text gives.
Error refused(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "was read:\n" << text;
  return Error(ExitCode::ok, "");
}

void expect_equal(const linalg::Crs<Host>& found, const HostMatrix& expected) {
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.cols, expected.cols);
  EXPECT_EQ(to_vector(found.row_ptr), expected.row_ptr);
  EXPECT_EQ(to_vector(found.col_ind), expected.col_ind);
  EXPECT_EQ(to_vector(found.values), expected.values);
}

TEST(MatrixMarket, WhatIsWrittenIsReadBitForBit) {
  for (const auto& [name, host] : testing::matrices_of_many_shapes()) {
    SCOPED_TRACE(name);
    linalg::write_matrix_market(path_of("out.mtx"), host.to<Host>(), {.comment = "two\nlines"});
    expect_equal(linalg::read_matrix_market(path_of("out.mtx")), host);
  }
}

TEST(MatrixMarket, ExtremeValuesSurvive) {
  HostMatrix A;
  A.rows = 1;
  A.cols = 5;
  A.add(0, 1.0 / 3);
  A.add(1, std::numeric_limits<double>::min());
  A.add(2, -std::numeric_limits<double>::max());
  A.add(3, 0.0);
  A.add(4, 4.9e-324);
  A.end_row();
  linalg::write_matrix_market(path_of("out.mtx"), A.to<Host>());
  expect_equal(linalg::read_matrix_market(path_of("out.mtx")), A);
}

TEST(MatrixMarket, ReadsEntriesInAnyOrderWithCommentsAndBlankLines) {
  const auto A = read(
      "%%MatrixMarket MATRIX coordinate Real general\r\n% a comment\n\n  %another\n 3\t4 5 \n"
      "3 1 1e2\n1 4 -2.5\n\n% in between\n1 2 +3\n2 2 .5\n1 1 7\n");
  EXPECT_EQ(to_vector(A.row_ptr), (std::vector<Offset>{0, 3, 4, 5}));
  EXPECT_EQ(to_vector(A.col_ind), (std::vector<Index>{0, 1, 3, 1, 0}));
  EXPECT_EQ(to_vector(A.values), (std::vector<double>{7, 3, -2.5, 0.5, 100}));
}

TEST(MatrixMarket, EntriesOfOnePlaceAreAdded) {
  const auto A = read("%%MatrixMarket matrix coordinate real general\n2 2 4\n2 1 1\n1 1 5\n2 1 2\n2 1 4\n");
  EXPECT_EQ(to_vector(A.row_ptr), (std::vector<Offset>{0, 1, 2}));
  EXPECT_EQ(to_vector(A.values), (std::vector<double>{5, 7}));
}

TEST(MatrixMarket, PatternsAndIntegers) {
  EXPECT_EQ(to_vector(read("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n").values),
            (std::vector<double>{1, 1}));
  EXPECT_EQ(
      to_vector(read("%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 -3\n1 2 9007199254740992\n").values),
      (std::vector<double>{-3, 9007199254740992.0}));
}

TEST(MatrixMarket, SymmetricFilesGiveBothTriangles) {
  const auto A = read("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n3 1 5\n3 2 6\n");
  EXPECT_EQ(to_vector(A.row_ptr), (std::vector<Offset>{0, 2, 3, 5}));
  EXPECT_EQ(to_vector(A.col_ind), (std::vector<Index>{0, 2, 2, 0, 1}));
  EXPECT_EQ(to_vector(A.values), (std::vector<double>{4, 5, 6, 5, 6}));
  const auto B = read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n");
  EXPECT_EQ(to_vector(B.values), (std::vector<double>{-3, 3}));
}

TEST(MatrixMarket, SymmetricMatricesAreWrittenByTheirLowerTriangle) {
  const HostMatrix A = testing::laplacian(6, 2);
  linalg::write_matrix_market(path_of("out.mtx"), A.to<Host>(),
                              {.field = MarketField::integer, .symmetry = MarketSymmetry::symmetric});
  expect_equal(linalg::read_matrix_market(path_of("out.mtx")), A);
  EXPECT_THROW(
      linalg::write_matrix_market(path_of("out.mtx"), A.to<Host>(), {.symmetry = MarketSymmetry::skew_symmetric}),
      Error);
  EXPECT_THROW(linalg::write_matrix_market(path_of("out.mtx"), testing::random_matrix(9, 9, 5, 1).to<Host>(),
                                           {.symmetry = MarketSymmetry::symmetric}),
               Error);
  EXPECT_THROW(linalg::write_matrix_market(path_of("out.mtx"), testing::random_matrix(9, 9, 5, 1).to<Host>(),
                                           {.field = MarketField::integer}),
               Error);
}

TEST(MatrixMarket, RefusesWhatItCannotReadWithFileAndLine) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  struct Bad {
    std::string text, says;
    int line;
  };
  for (const Bad& bad : std::initializer_list<Bad>{
           {"", "it is empty", 0},
           {"1 2 3\n", "no header", 1},
           {"%%MatrixMarket vector coordinate real general\n", "'vector'", 1},
           {"%%MatrixMarket matrix array real general\n2 2\n", "dense matrix", 1},
           {"%%MatrixMarket matrix list real general\n", "'list'", 1},
           {"%%MatrixMarket matrix coordinate complex general\n", "'complex'", 1},
           {"%%MatrixMarket matrix coordinate real hermitian\n", "'hermitian'", 1},
           {head, "sizes is missing", 1},
           {head + "2 2\n", "number of entries", 2},
           {head + "2 2 1 1\n1 1 1\n", "more than three sizes", 2},
           {head + "-2 2 1\n1 1 1\n", "-2 rows", 2},
           {head + "2 3000000000 1\n1 1 1\n", "3000000000 columns", 2},
           {head + "2 2 -1\n", "-1 entries", 2},
           {head + "2 2 99999999999999999999\n", "number of entries", 2},
           {head + "2 2 1\n3 1 1\n", "row 3 of 1 to 2", 3},
           {head + "2 2 1\n0 1 1\n", "row 0 of 1 to 2", 3},
           {head + "2 2 1\n1 3 1\n", "column 3 of 1 to 2", 3},
           {head + "2 2 1\n1 1 one\n", "expected a number", 3},
           {head + "2 2 1\n1 1 1.5x\n", "expected a number", 3},
           {head + "2 2 1\n1.5 1 1\n", "expected a row", 3},
           {head + "2 2 1\n1 1\n", "expected a number", 3},
           {head + "2 2 1\n1 1 1 1\n", "more numbers", 3},
           {head + "2 2 1\n1 1 1\n2 2 1\n", "more entries than the 1", 4},
           {head + "2 2 3\n1 1 1\n% end\n", "after 1 of the 3", 4},
           {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", "expected an integer", 3},
           {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "2 rows and 3 columns", 2},
           {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 5\n", "above the diagonal", 3},
           {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 5\n", "on or above the diagonal", 3},
       }) {
    const Error error = refused(bad.text);
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find(bad.says), std::string::npos) << error.what();
    ASSERT_TRUE(error.where()) << error.what();
    EXPECT_EQ(error.where()->line, bad.line) << error.what();
    EXPECT_NE(error.where()->file.find("in.mtx"), std::string::npos);
  }
}

TEST(MatrixMarket, AHugeCountAllocatesNothingBeforeTheFileProvesIt) {
  const std::size_t before = memory_use().host_peak;
  const Error error =
      refused("%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 4000000000000000000\n1 1 1\n");
  EXPECT_NE(std::string(error.what()).find("after 1 of the 4000000000000000000"), std::string::npos) << error.what();
  EXPECT_LT(memory_use().host_peak, before + (64u << 20));
}

TEST(MatrixMarket, AMissingFileIsAFileSystemError) {
  try {
    linalg::read_matrix_market("/nonexistent/a.mtx");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::file_system);
    EXPECT_NE(std::string(error.what()).find("/nonexistent/a.mtx"), std::string::npos);
  }
  EXPECT_THROW(linalg::write_matrix_market("/nonexistent/a.mtx", testing::laplacian(2, 1).to<Host>()), Error);
  EXPECT_THROW(linalg::read_matrix_market(::testing::TempDir()), Error);
}

}  // namespace
}  // namespace tessera
