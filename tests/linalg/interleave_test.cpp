// Matrices of several fields that do not meet, as one.
#include "linalg/interleave.hpp"

#include "linalg/spmv.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

template <class Exec>
struct Interleave : ::testing::Test {};
TYPED_TEST_SUITE(Interleave, testing::Backends);

TYPED_TEST(Interleave, MultipliesEachFieldByItsMatrix) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const std::vector<Offset> row_ptr{0, 2, 5, 6};
  const std::vector<Index> col_ind{0, 1, 0, 1, 2, 2};
  constexpr int fields = 3, nodes = 3;
  linalg::Crs<Space> one;
  one.rows = one.cols = nodes;
  one.row_ptr = to_space<Space>(row_ptr);
  one.col_ind = to_space<Space>(col_ind);
  one.values = to_space<Space>(std::vector<double>(col_ind.size(), 7.0));
  linalg::Crs<Space> all = linalg::interleaved_pattern(exec, std::as_const(one).view(), fields);
  for (const double value : to_vector(all.values)) EXPECT_EQ(value, 0);
  Array<double, Space> x(fields * nodes), y(fields * nodes);
  std::vector<double> expected(fields * nodes, 0.0);
  for (int c = 0; c < fields; ++c) {
    std::vector<double> values, of_field;
    for (std::size_t k = 0; k < col_ind.size(); ++k) values.push_back(1.0 + static_cast<double>(k) + 10 * c);
    for (int node = 0; node < nodes; ++node) of_field.push_back(0.5 + node - c);
    one.values = to_space<Space>(values);
    linalg::set_component(exec, std::as_const(one).view(), c, fields, all);
    const auto there = to_space<Space>(of_field);
    linalg::set_component(exec, View<const double>(there.view()), c, fields, x.view());
    for (int row = 0; row < nodes; ++row)
      for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k)
        expected[static_cast<std::size_t>(row * fields + c)] += values[k] * of_field[col_ind[k]];
  }
  linalg::spmv(exec, std::as_const(all).view(), View<const double>(x.view()), y.view());
  EXPECT_EQ(to_vector(y), expected);
  EXPECT_EQ(to_vector(all.row_ptr), (std::vector<Offset>{0, 2, 4, 6, 9, 12, 15, 16, 17, 18}));
}

}  // namespace
}  // namespace tessera
