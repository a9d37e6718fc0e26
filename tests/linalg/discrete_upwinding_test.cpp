// Discrete upwinding: no positive entry beside the diagonal, nothing gained or lost, the same on every backend.
#include <gtest/gtest.h>

#include "linalg/discrete_upwinding.hpp"
#include "support/backends.hpp"

namespace tessera::linalg {
namespace {

/// Central differences of u' on five nodes of a ring, and a node apart with a positive neighbour on one side only.
struct Example {
  std::vector<Offset> row_ptr{0, 3, 6, 9, 12, 15};
  std::vector<Index> col_ind{0, 1, 4, 0, 1, 2, 1, 2, 3, 2, 3, 4, 0, 3, 4};
  std::vector<double> values{0, 1, -1, -1, 0, 1, -1, 0, 1, -1, 0, 1, 1, -1, 0};
  std::vector<double> upwind{2, 0, -2, -2, 2, 0, -2, 2, 0, -2, 2, 0, 0, -2, 2};

  template <class Space>
  Crs<Space> matrix() const {
    Crs<Space> A;
    A.rows = A.cols = 5;
    A.row_ptr = to_space<Space>(row_ptr);
    A.col_ind = to_space<Space>(col_ind);
    A.values = to_space<Space>(values);
    return A;
  }
};

template <class Exec>
class DiscreteUpwinding : public ::testing::Test {};
TYPED_TEST_SUITE(DiscreteUpwinding, testing::Backends);

TYPED_TEST(DiscreteUpwinding, TurnsCentralIntoUpwindDifferences) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Example example;
  auto A = example.matrix<typename TypeParam::Space>();
  add_discrete_upwinding(exec, A);
  EXPECT_EQ(to_vector(A.values), example.upwind);
  add_discrete_upwinding(exec, A);
  EXPECT_EQ(to_vector(A.values), example.upwind) << "there is nothing more to add";
}

}  // namespace
}  // namespace tessera::linalg
