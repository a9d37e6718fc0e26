// Matrices of ranks: their own columns and those of ghosts.
#include <numeric>

#include "linalg/split_ghosts.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

template <class Exec>
struct SplitGhosts : ::testing::Test {};
TYPED_TEST_SUITE(SplitGhosts, testing::Backends);

/// Five rows, of which two are interior and two more its own, in columns 0 to 3; the last row and 4 to 6 are others'.
const std::vector<Offset> row_ptr{0, 2, 5, 9, 12, 13};
const std::vector<Index> col_ind{0, 1, 0, 1, 2, 1, 2, 4, 6, 0, 3, 5, 4};

template <class Space>
linalg::Crs<Space> scalars(double first) {
  std::vector<double> values(col_ind.size());
  std::iota(values.begin(), values.end(), first);
  return {5, 7, to_space<Space>(row_ptr), to_space<Space>(col_ind), to_space<Space>(values)};
}
template <class Space>
linalg::BlockCrs<Space> blocks(double first) {
  std::vector<double> values(4 * col_ind.size());
  std::iota(values.begin(), values.end(), first);
  return {10, 14, 2, to_space<Space>(row_ptr), to_space<Space>(col_ind), to_space<Space>(values)};
}

TYPED_TEST(SplitGhosts, HaveTheEntriesOfTheirColumns) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const auto split = linalg::split_ghosts(exec, scalars<typename TypeParam::Space>(10), {2, 3}, 4);
  EXPECT_EQ(to_vector(split.own.row_ptr), (std::vector<Offset>{0, 2, 5, 7, 9}));
  EXPECT_EQ(to_vector(split.own.col_ind), (std::vector<Index>{0, 1, 0, 1, 2, 1, 2, 0, 3}));
  EXPECT_EQ(to_vector(split.own.values), (std::vector<double>{10, 11, 12, 13, 14, 15, 16, 19, 20}));
  EXPECT_EQ(to_vector(split.ghost.row_ptr), (std::vector<Offset>{0, 2, 3}));
  EXPECT_EQ(to_vector(split.ghost.col_ind), (std::vector<Index>{0, 2, 1}));
  EXPECT_EQ(to_vector(split.ghost.values), (std::vector<double>{17, 18, 21}));
}

/// In the arrays that are there.
TYPED_TEST(SplitGhosts, TakeOtherValuesAsIfTheyWereSplitAnew) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const auto check = [&](const auto& before, const auto& after) {
    auto refilled = linalg::split_ghosts(exec, before, {2, 3}, 4);
    const double* const there = refilled.own.values.data();
    linalg::refill_split(exec, after, refilled);
    const auto anew = linalg::split_ghosts(exec, after, {2, 3}, 4);
    EXPECT_EQ(refilled.own.values.data(), there);
    EXPECT_EQ(to_vector(refilled.own.values), to_vector(anew.own.values));
    EXPECT_EQ(to_vector(refilled.ghost.values), to_vector(anew.ghost.values));
  };
  check(scalars<Space>(0), scalars<Space>(100));
  check(blocks<Space>(0), blocks<Space>(1000));
}

}  // namespace
}  // namespace tessera
