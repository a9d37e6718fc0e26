// Operators of block rows made by name equal that of the same matrix in CRS, in everything a solver asks of them.
#include <cmath>

#include "base/error.hpp"
#include "linalg/formats.hpp"
#include "support/backends.hpp"
#include "support/block_matrices.hpp"

namespace tessera {
namespace {

using linalg::Operator;
using testing::HostBlocks;

template <class Exec>
struct BlockOperators : ::testing::Test {
  using Space = typename Exec::Space;
  /// check(operator, crs operator of the same entries, name) in every format.
  template <class Check>
  static void for_all(Exec& exec, const HostBlocks& host, Check check) {
    const auto A = host.to<Space>();
    const auto entries = host.expanded().to<Space>();
    const linalg::CrsOperator<Exec> crs(entries);
    for (const std::string& format : linalg::format_names(A.block)) {
      SCOPED_TRACE(format + ", blocks of " + std::to_string(A.block));
      std::string reason;
      const auto op = linalg::make_operator(exec, A, format, &reason);
      EXPECT_FALSE(reason.empty());
      if (format != "auto") {
        EXPECT_EQ(op->format(), format);
      }
      check(*op, crs);
    }
  }
};
TYPED_TEST_SUITE(BlockOperators, testing::Backends);

template <class T>
void expect_near(const std::vector<T>& found, const std::vector<T>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], tolerance) << "entry " << i;
}

TYPED_TEST(BlockOperators, EqualThatOfCrs) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (int block : {1, 2, 3, 4}) {
    const HostBlocks host = testing::vector_laplacian(6, 3, block);
    const Index rows = host.pattern.rows * block;
    const auto x = to_space<Space>(testing::random_vector(rows, 1)),
               b = to_space<Space>(testing::random_vector(rows, 2));
    Array<double, Space> expected(rows), found(rows), sums(2), blocks(Offset{rows} * block);
    this->for_all(exec, host, [&](Operator<TypeParam>& op, const Operator<TypeParam>& crs) {
      EXPECT_EQ(op.rows(), rows);
      EXPECT_EQ(op.cols(), rows);
      EXPECT_EQ(op.block_size(), block);
      EXPECT_GE(op.bytes(), 8.0 * static_cast<double>(host.values.size()) + 16.0 * rows);
      const auto same = [&](double tolerance) {
        expect_near(to_vector(found), to_vector(expected), tolerance);
        const auto both = to_vector(sums);
        EXPECT_NEAR(both[1], both[0], 1e-11 * (1 + std::abs(both[0])));
      };
      crs.apply(exec, x, expected);
      op.apply(exec, x, found);
      sums.set_zero();
      same(1e-12);
      crs.apply_dot(exec, x, expected, sums.data());
      op.apply_dot(exec, x, found, sums.data() + 1);
      same(1e-12);
      crs.residual(exec, x, b, expected, sums.data());
      op.residual(exec, x, b, found, sums.data() + 1);
      same(1e-12);
      crs.diagonal(exec, expected);
      op.diagonal(exec, found);
      same(0);
      ASSERT_TRUE(op.has_diagonal_blocks());
      op.diagonal_blocks(exec, blocks);
      const auto of_blocks = to_vector(blocks), of_rows = to_vector(found);
      for (Index row = 0; row < rows; ++row)
        ASSERT_EQ(of_blocks[Offset{row} * block + row % block], of_rows[row]) << "row " << row;
      for (Index row = 0; row < rows; ++row)
        for (Index j = 0; j < block; ++j)
          ASSERT_EQ(of_blocks[Offset{row} * block + j],
                    of_blocks[(Offset{row} / block * block + j) * block + row % block]);
    });
  }
}

TYPED_TEST(BlockOperators, SinglePrecisionKeepsTheSumsOfRowsAndTheBlocks) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  constexpr double shift = 5e-11;  // which rounding takes away altogether from multiples of 1/64
  for (int block : {1, 2, 3, 4}) {
    HostBlocks host = testing::vector_laplacian(6, 2, block, 0);
    const Index rows = host.pattern.rows * block;
    for (double& value : host.values) value = std::round(64 * value) / 64;  // which float adds up exactly
    const auto entries = host.expanded();
    std::vector<double> expected_sums;        // [rows, block]
    for (Index row = 0; row < rows; ++row) {  // those of the row over the columns of each component
      const Index node = row / block, i = row % block;
      std::vector<double> sums(static_cast<std::size_t>(block), 0.0);  // without the block on the diagonal
      for (Offset k = entries.row_ptr[row]; k < entries.row_ptr[row + 1]; ++k)
        if (entries.col_ind[k] / block != node) sums[entries.col_ind[k] % block] += entries.values[k];
      for (int c = 0; c < block; ++c) expected_sums.push_back(sums[c] != 0 ? shift * (1 + i + 2 * c) : 0);
      for (Offset k = host.pattern.row_ptr[node]; k < host.pattern.row_ptr[node + 1]; ++k)
        for (int c = 0; c < block && host.pattern.col_ind[k] == node; ++c)
          host.values[(k * block + i) * block + c] = expected_sums[Offset{row} * block + c] - sums[c];
    }
    const auto sum_of = [&](Index row, int c) { return expected_sums[Offset{row} * block + c]; };
    const auto random = testing::random_vector(rows, 3);
    const auto x = to_space<Space>(random);
    const auto x_single = to_space<Space>(std::vector<float>(random.begin(), random.end()));
    const auto zero = to_space<Space>(std::vector<float>(random.size(), 0));
    Array<float, Space> y(rows), blocks_single(Offset{rows} * block);
    Array<double, Space> sums(1), exact(rows), blocks(Offset{rows} * block);
    this->for_all(exec, host, [&](Operator<TypeParam>& op, const Operator<TypeParam>&) {
      const auto narrow = op.to_float(exec);
      ASSERT_TRUE(narrow);
      EXPECT_LT(narrow->bytes(), op.bytes());
      EXPECT_EQ(narrow->block_size(), block);
      const bool of_components = block == 1 || op.format().starts_with("block");  // formats of scalars add a diagonal
      for (int c = 0; c < block && of_components; ++c) {                          // the translation along an axis
        std::vector<float> unit(static_cast<std::size_t>(rows), 0);
        for (Index row = c; row < rows; row += block) unit[row] = 1;
        const auto along = to_space<Space>(unit);
        double of_c = 0, squares = 0;  // (e_c, A e_c) and |A e_c|^2
        for (Index row = 0; row < rows; ++row) {
          of_c += row % block == c ? sum_of(row, c) : 0;
          squares += sum_of(row, c) * sum_of(row, c);
        }
        narrow->apply(exec, along, y);
        const auto product = to_vector(y);
        for (Index row = 0; row < rows; ++row) ASSERT_NEAR(product[row], sum_of(row, c), 1e-4 * shift) << c;
        narrow->apply_dot(exec, along, y, sums.data());
        EXPECT_NEAR(to_vector(sums)[0], of_c, 1e-4 * of_c);
        narrow->residual(exec, along, zero, y, sums.data());
        EXPECT_NEAR(to_vector(sums)[0], squares, 1e-4 * squares);
      }
      narrow->apply(exec, x_single, y);
      op.apply(exec, x, exact);
      const auto found = to_vector(y);
      const auto expected = to_vector(exact);
      for (Index row = 0; row < rows; ++row) ASSERT_NEAR(found[row], expected[row], 1e-5);
      ASSERT_TRUE(narrow->has_diagonal_blocks());
      narrow->diagonal_blocks(exec, blocks_single);
      op.diagonal_blocks(exec, blocks);
      const auto found_blocks = to_vector(blocks_single);
      const auto expected_blocks = to_vector(blocks);
      for (std::size_t i = 0; i < found_blocks.size(); ++i)
        ASSERT_EQ(found_blocks[i], static_cast<float>(expected_blocks[i]));
    });
  }
}

TYPED_TEST(BlockOperators, GiveTheirEntries) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const HostBlocks host = testing::vector_laplacian(5, 2, 3);
  const auto expected = host.expanded();
  this->for_all(exec, host, [&](Operator<TypeParam>& op, const Operator<TypeParam>&) {
    const bool blocks = op.format() == "block_crs" || op.format() == "block_sliced_ell";
    EXPECT_EQ(op.has_entries(), blocks || op.format() == "crs");
    EXPECT_EQ(op.entries().has_value(), op.format() == "crs");
    linalg::Crs<Space> entries;
    if (!blocks) {
      EXPECT_THROW(op.copy_entries(exec, entries, false), Error);
      return;
    }
    op.copy_entries(exec, entries, false);
    EXPECT_EQ(to_vector(entries.row_ptr), expected.row_ptr);
    EXPECT_EQ(to_vector(entries.col_ind), expected.col_ind);
    EXPECT_EQ(to_vector(entries.values), expected.values);
    const double* place = entries.values.data();
    entries.values.set_zero();
    op.copy_entries(exec, entries, true);
    EXPECT_EQ(entries.values.data(), place);
    EXPECT_EQ(to_vector(entries.values), expected.values);
  });
}

TYPED_TEST(BlockOperators, ARefillBringsTheNewValues) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (int block : {1, 2, 3, 4}) {
    HostBlocks host = testing::vector_laplacian(9, 2, block);
    auto A = host.template to<Space>();
    const auto x = to_space<Space>(testing::random_vector(A.rows, 1));
    std::vector<std::unique_ptr<Operator<TypeParam>>> operators;
    for (const std::string& format : linalg::format_names(block))
      operators.push_back(linalg::make_operator(exec, A, format));
    for (double& value : host.values) value *= -3;
    A.values = to_space<Space>(host.values);
    const auto entries = host.expanded().template to<Space>();
    Array<double, Space> expected(A.rows), found(A.rows), blocks(Offset{A.rows} * block);
    linalg::CrsOperator<TypeParam>(entries).apply(exec, x, expected);
    Array<double, Space> expected_blocks(Offset{A.rows} * block);
    linalg::extract_diagonal_blocks(exec, std::as_const(A).view(), expected_blocks.view());
    for (const auto& op : operators) {
      SCOPED_TRACE(op->format());
      linalg::refill(exec, A, *op);
      op->apply(exec, x, found);
      expect_near(to_vector(found), to_vector(expected), 1e-11);
      op->diagonal_blocks(exec, blocks);
      EXPECT_EQ(to_vector(blocks), to_vector(expected_blocks));
      if (op->stored()) {
        EXPECT_THROW(linalg::refill(exec, entries, *op), Error);
        EXPECT_GT(op->stored()->stored_bytes(), 8.0 * static_cast<double>(host.values.size()));
        EXPECT_FALSE(op->stored()->layout());
      }
    }
  }
}

TYPED_TEST(BlockOperators, AMatrixOfOneUnknownANodeRefusesFormatsOfBlocks) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const auto A = testing::laplacian(5, 1).template to<Space>();
  for (const char* format : {"block_crs", "block_sliced_ell"}) {
    try {
      linalg::make_operator(exec, A, format);
      FAIL() << format;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find(format), std::string::npos) << error.what();
      EXPECT_NE(error.help().find("sliced_ell"), std::string::npos) << error.help();
      EXPECT_EQ(error.help().find("block_"), std::string::npos) << error.help();
    }
  }
  const auto blocks = testing::vector_laplacian(3, 1, 2).template to<Space>();
  try {
    linalg::make_operator(exec, blocks, "block_sliced_el");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(error.help().find("'block_sliced_ell'"), std::string::npos) << error.help();
  }
  auto op = linalg::make_operator(exec, A, "sliced_ell");
  EXPECT_THROW(linalg::refill(exec, blocks, *op), Error);
}

TEST(BlockFormat, AutoFollowsBackendAndRows) {
  const auto choice = [](Index rows, Offset blocks, Index longest, const char* backend) {
    const linalg::FormatChoice made = linalg::choose_block_format(
        {.rows = rows, .cols = rows, .nnz = blocks, .longest = longest, .sliced = blocks}, backend);
    EXPECT_FALSE(made.reason.empty());
    return made.name;
  };
  EXPECT_EQ(choice(0, 0, 0, "cuda"), "block_crs");
  EXPECT_EQ(choice(1'000'000, 15'000'000, 30, "threads"), "block_crs");
  EXPECT_EQ(choice(1'000'000, 15'000'000, 30, "cuda"), "block_sliced_ell");
  EXPECT_EQ(choice(1'000, 15'000, 30, "cuda"), "block_crs") << "few rows";
  EXPECT_EQ(choice(1'000'000, 90'000'000, 120, "cuda"), "block_crs") << "long rows";
  EXPECT_EQ(choice(1'000'000, 3'000'000, 1'000'000, "cuda"), "block_crs") << "one dense row";
}

}  // namespace
}  // namespace tessera
