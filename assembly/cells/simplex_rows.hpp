#pragma once
// Rows of linear simplices, a lane of CUDA each.
#include <cstdint>

#include "assembly/cells/lists.hpp"

namespace tessera::assembly {

/// Rows of linear simplices for `nonzeros` on CUDA: one lane a row, the cells around its vertex as a strip
/// (simplex_strip.hpp). Lanes take the rows in an order of their own; 32 lanes are a slice, whose lists are stored by
/// groups of steps that one load brings: [groups, 32, steps of a group].
template <class Space>
struct SimplexRows {
  int capacity = 0;                   ///< longest row of a lane
  Array<Index, Space> order;          ///< row of each lane; -1: none
  Array<Offset, Space> step_ptr;      ///< [slices + 1]
  Array<std::uint16_t, Space> steps;  ///< words of the strips, without their first dim - 1
  Array<Index, Space> nodes;          ///< mesh node that a step pushes
  Array<Index, Space> cells;          ///< place * nodes + local number of the row; -1: the step makes no cell
  Array<Index, Space> first_nodes;  ///< [slices, dim, 32]: mesh node of the row, then those that its strip begins with
  Array<std::uint32_t, Space> first_columns;  ///< of the same in the row, 10 bits each
  Array<Index, Space> long_rows;              ///< rows of a warp each
  std::size_t bytes() const {
    return order.bytes() + step_ptr.bytes() + steps.bytes() + nodes.bytes() + cells.bytes() + first_nodes.bytes() +
           first_columns.bytes() + long_rows.bytes();
  }
};

/// The lists of a block of linear straight simplices.
void make_simplex_rows(Cuda& exec, BlockData<Device>& block, const linalg::CrsView<const double>& pattern);

}  // namespace tessera::assembly
