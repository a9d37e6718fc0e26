#include "assembly/space/sparsity.hpp"

#include <set>

#include "assembly/support.hpp"

namespace tessera::testing {
namespace {

template <class Exec>
class Sparsity : public ::testing::Test {};
TYPED_TEST_SUITE(Sparsity, Backends);

TYPED_TEST(Sparsity, RowsHoldTheDofsOfTheCellsAroundThem) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex"})
    for (int order = 1; order <= 3; ++order) {
      const mesh::Mesh mesh = box(shape, 3);
      const assembly::DofMap map = assembly::make_dof_map(mesh, order);
      std::vector<std::set<Index>> expected(map.dofs);
      for (const assembly::DofBlock& block : map.blocks)
        for (Index cell = 0; cell < block.cells(); ++cell)
          for (int i = 0; i < block.nodes; ++i)
            expected[block.cell(cell)[i]].insert(block.cell(cell), block.cell(cell) + block.nodes);
      TypeParam exec;
      const auto A = assembly::make_sparsity(exec, map);
      const auto row_ptr = to_vector(A.row_ptr);
      const auto col_ind = to_vector(A.col_ind);
      ASSERT_EQ(row_ptr.back(), A.nnz());
      for (Index row = 0; row < map.dofs; ++row)
        ASSERT_EQ(std::vector<Index>(expected[row].begin(), expected[row].end()),
                  std::vector<Index>(col_ind.begin() + row_ptr[row], col_ind.begin() + row_ptr[row + 1]))
            << shape << " order " << order << " row " << row;
    }
}

TEST(FindInRow, FindsEveryColumn) {
  const std::vector<Index> cols{1, 4, 5, 9, 12, 13, 40};
  for (Index count = 1; count <= static_cast<Index>(cols.size()); ++count)
    for (Index k = 0; k < count; ++k) EXPECT_EQ(assembly::find_in_row(cols.data(), count, cols[k]), k);
}

}  // namespace
}  // namespace tessera::testing
