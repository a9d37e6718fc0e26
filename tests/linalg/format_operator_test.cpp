// Operators made by name equal the one of CRS, in everything a solver asks of them.
#include "base/error.hpp"
#include "linalg/formats.hpp"
#include "support/backends.hpp"
#include "support/sparse_matrices.hpp"

namespace tessera {
namespace {

using linalg::Operator;

template <class Exec>
struct FormatOperators : ::testing::Test {};
TYPED_TEST_SUITE(FormatOperators, testing::Backends);

template <class Space, class T>
std::vector<T> values_of(const Array<T, Space>& array) {
  return to_vector(array);
}

TYPED_TEST(FormatOperators, EqualThatOfCrs) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const auto& host :
       {testing::laplacian(30, 2), testing::shuffled(testing::laplacian(9, 3), 2), testing::power_law(800, 800, 3)}) {
    const auto A = host.template to<Space>();
    const auto x = to_space<Space>(testing::random_vector(A.rows, 1)),
               b = to_space<Space>(testing::random_vector(A.rows, 2));
    const linalg::CrsOperator<TypeParam> crs(A);
    Array<double, Space> expected(A.rows), found(A.rows), sums(2);
    for (const std::string& format : linalg::format_names(1)) {
      SCOPED_TRACE(format);
      std::string reason;
      std::unique_ptr<Operator<TypeParam>> op;
      try {
        op = linalg::make_operator(exec, A, format, &reason);
      } catch (const Error& error) {  // ELL of a power law
        EXPECT_NE(error.help().find("sliced_ell"), std::string::npos) << error.what();
        continue;
      }
      EXPECT_FALSE(reason.empty());
      if (format != "auto") {
        EXPECT_EQ(op->format(), format);
      }
      EXPECT_EQ(op->rows(), A.rows);
      EXPECT_EQ(op->cols(), A.cols);
      EXPECT_GE(op->bytes(), 8.0 * static_cast<double>(A.nnz()) + 16.0 * A.rows);
      auto same = [&](double tolerance) {
        const auto e = to_vector(expected), f = to_vector(found);
        for (std::size_t i = 0; i < e.size(); ++i) ASSERT_NEAR(f[i], e[i], tolerance) << "row " << i;
        EXPECT_NEAR(to_vector(sums)[1], to_vector(sums)[0], 1e-11 * (1 + std::abs(to_vector(sums)[0])));
      };
      crs.apply_dot(exec, x, expected, sums.data());
      op->apply_dot(exec, x, found, sums.data() + 1);
      same(1e-12);
      crs.residual(exec, x, b, expected, sums.data());
      op->residual(exec, x, b, found, sums.data() + 1);
      same(1e-12);
      crs.diagonal(exec, expected);
      op->diagonal(exec, found);
      same(0);
    }
  }
}

TYPED_TEST(FormatOperators, SinglePrecisionEqualsThatOfCrs) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const auto A = testing::laplacian(25, 2).template to<Space>();
  const auto wide = testing::random_vector(A.rows, 1);
  const auto x = to_space<Space>(std::vector<float>(wide.begin(), wide.end()));
  const linalg::CrsOperator<TypeParam> crs(A);
  const auto single = crs.to_float(exec);
  Array<float, Space> expected(A.rows), found(A.rows);
  single->apply(exec, x, expected);
  for (const std::string& format : linalg::format_names(1)) {
    SCOPED_TRACE(format);
    const auto op = linalg::make_operator(exec, A, format);
    const auto narrow = op->to_float(exec);
    ASSERT_TRUE(narrow);
    EXPECT_LT(narrow->bytes(), op->bytes());
    narrow->apply(exec, x, found);
    const auto e = to_vector(expected), f = to_vector(found);
    for (std::size_t i = 0; i < e.size(); ++i) ASSERT_NEAR(f[i], e[i], 1e-5f);
  }
}

// The Laplacian of a grid without boundary conditions and a reaction term that rounding takes away altogether.
TYPED_TEST(FormatOperators, SinglePrecisionKeepsTheSumsOfRows) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  constexpr double reaction = 5e-8;
  testing::HostMatrix host = testing::laplacian(25, 2, true);
  for (Index row = 0; row < host.rows; ++row)
    for (Offset k = host.row_ptr[row]; k < host.row_ptr[row + 1]; ++k)
      if (host.col_ind[k] == row) host.values[k] += reaction;
  const auto A = host.template to<Space>();
  const auto ones = to_space<Space>(std::vector<float>(static_cast<std::size_t>(A.rows), 1));
  const auto b = to_space<Space>(std::vector<float>(static_cast<std::size_t>(A.rows), 0));
  Array<float, Space> y(A.rows), r(A.rows);
  Array<double, Space> sums(2);
  for (const std::string& format : linalg::format_names(1)) {
    SCOPED_TRACE(format);
    const auto op = linalg::make_operator(exec, A, format);
    const auto narrow = op->to_float(exec);
    narrow->apply(exec, ones, y);
    for (float value : to_vector(y)) ASSERT_NEAR(value, reaction, 1e-6 * reaction);
    narrow->apply_dot(exec, ones, y, sums.data());
    narrow->residual(exec, ones, b, r, sums.data() + 1);
    for (float value : to_vector(y)) ASSERT_NEAR(value, reaction, 1e-6 * reaction);
    for (float value : to_vector(r)) ASSERT_NEAR(value, -reaction, 1e-6 * reaction);
    EXPECT_NEAR(to_vector(sums)[0], A.rows * reaction, A.rows * reaction * 1e-6);
    EXPECT_NEAR(to_vector(sums)[1], A.rows * reaction * reaction, A.rows * reaction * reaction * 1e-6);
  }
}

TYPED_TEST(FormatOperators, ARefillBringsTheNewValues) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  testing::HostMatrix host = testing::laplacian(20, 2);
  auto A = host.template to<Space>();
  const auto x = to_space<Space>(testing::random_vector(A.rows, 1));
  std::vector<std::unique_ptr<Operator<TypeParam>>> operators;
  for (const std::string& format : linalg::format_names(1)) operators.push_back(linalg::make_operator(exec, A, format));
  for (double& value : host.values) value *= -3;
  A.values = to_space<Space>(host.values);
  Array<double, Space> expected(A.rows), found(A.rows);
  linalg::CrsOperator<TypeParam>(A).apply(exec, x, expected);
  for (const auto& op : operators) {
    SCOPED_TRACE(op->format());
    linalg::refill(exec, A, *op);
    op->apply(exec, x, found);
    const auto e = to_vector(expected), f = to_vector(found);
    for (std::size_t i = 0; i < e.size(); ++i) ASSERT_NEAR(f[i], e[i], 1e-12);
  }
}

TEST(FormatOperator, TheLayoutSaysWhereEntriesStand) {
  Threads exec;
  const testing::HostMatrix host = testing::banded(128, 3);  // whole slices: nothing to sort
  const auto A = host.to<Host>();
  for (const char* format : {"ell", "sliced_ell"}) {
    const auto op = linalg::make_operator(exec, A, format);
    auto& stored = *op->stored();
    const auto layout = stored.layout();
    ASSERT_TRUE(layout) << format;
    for (Index row = 0; row < A.rows; ++row)
      for (Offset k = 0; k < host.row_ptr[row + 1] - host.row_ptr[row]; ++k)
        ASSERT_EQ(stored.values()[layout->first(row) + k * layout->step()], host.values[host.row_ptr[row] + k]);
  }
  for (const char* format : {"packed_ell", "cmrs"}) {
    const auto op = linalg::make_operator(exec, A, format);
    EXPECT_FALSE(op->stored()->layout()) << format;
  }
}

TEST(FormatOperator, AnUnknownNameNamesTheNearest) {
  Threads exec;
  const auto A = testing::laplacian(3, 1).to<Host>();
  try {
    linalg::make_operator(exec, A, "sliced_el");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(error.help().find("sliced_ell"), std::string::npos) << error.help();
  }
}

TEST(ChooseFormat, FollowsItsRule) {
  auto choice = [](Index rows, Offset nnz, Index longest, const char* backend) {
    const auto made =
        linalg::choose_format({.rows = rows, .cols = rows, .nnz = nnz, .longest = longest, .sliced = nnz}, backend);
    EXPECT_FALSE(made.reason.empty());
    return made.name;
  };
  for (const char* backend : {"threads", "cuda"}) {
    EXPECT_EQ(choice(0, 0, 0, backend), "crs");
    EXPECT_EQ(choice(100, 1500, 15, backend), "crs");
    EXPECT_EQ(choice(1000000, 100000000, 120, backend), "crs") << "long rows";
    EXPECT_EQ(choice(1000000, 3000000, 1000000, backend), "crs") << "one dense row";
    EXPECT_EQ(choice(1000000, 15000000, 15, backend), "packed_ell");
  }
  EXPECT_EQ(choice(40'000, 600'000, 15, "cuda"), "crs") << "few rows";
  EXPECT_EQ(choice(60'000, 900'000, 15, "cuda"), "packed_ell");
  EXPECT_EQ(choice(530'000, 7'800'000, 64, "cuda"), "packed_ell");
  EXPECT_EQ(choice(530'000, 7'800'000, 200, "cuda"), "crs") << "one row outlasts the others";
  EXPECT_EQ(choice(17'000'000, 250'000'000, 200, "cuda"), "packed_ell") << "the others take longer than one row";
  EXPECT_EQ(choice(530'000, 7'800'000, 200, "threads"), "packed_ell");
  EXPECT_EQ(choice(1'000, 13'000, 15, "threads"), "packed_ell");
  EXPECT_EQ(choice(97'000, 1'400'000, 4'000, "threads"), "packed_ell");
  EXPECT_EQ(choice(97'000, 1'400'000, 8'000, "threads"), "crs") << "the slice of one row is a fifth of the matrix";
}

}  // namespace
}  // namespace tessera
