#pragma once
// Partitions of cells for colour_blocks and shared.
#include <cstdint>
#include <vector>

#include "assembly/cells/lists.hpp"
#include "assembly/cells/strategy.hpp"
#include "assembly/space/dof_map.hpp"

namespace tessera::assembly {

/// Partitions of consecutive places. `shared`: the local targets of partition p are first_target[p] ..
/// first_target[p+1); target t sums `width` local values; those of a partition are sorted by width, and lists of 32
/// targets are stored by columns.
template <class Space>
struct Partitions {
  std::vector<Index> first_place;  ///< [partitions + 1], host copy
  Index largest = 0;               ///< most cells of one
  Offset most_nodes = 0;           ///< most mesh nodes of one
  Array<Index, Space> first;       ///< [partitions + 1]
  // colour_blocks: colours of partitions, and within a partition ranges of places that share no dof
  std::vector<Offset> colour_ptr;
  Array<Index, Space> by_colour;
  Array<Index, Space> step_ptr;    ///< [partitions + 1]: its steps in step_first
  Array<Index, Space> step_first;  ///< first places of the steps; the next one ends it
  // shared
  Array<Offset, Space> first_target;  ///< [partitions + 1]
  Array<Index, Space> targets;  ///< a target as in Reduction; -1 - k: the k-th partial sum, finished in the second pass
  Array<Offset, Space> list_first;     ///< of each 32 targets, in `lists`
  Array<std::uint16_t, Space> lists;   ///< local sources, 65535: padding
  Array<std::uint16_t, Space> widths;  ///< of each 32 targets
  Array<Offset, Space> first_slice;    ///< [partitions + 1]: its first 32 targets in list_first and widths
  Array<Offset, Space> first_node;     ///< [partitions + 1]: its mesh nodes in `nodes`
  Array<Index, Space> nodes;
  Array<std::uint16_t, Space> local;  ///< [geometry nodes, cells], local number of a cell's nodes
  Offset partials = 0;
  Reduction<Space> finish;
  std::size_t bytes() const {
    return first.bytes() + by_colour.bytes() + step_ptr.bytes() + step_first.bytes() + first_target.bytes() +
           targets.bytes() + list_first.bytes() + lists.bytes() + widths.bytes() + first_slice.bytes() +
           first_node.bytes() + nodes.bytes() + local.bytes() + finish.bytes();
  }
};

/// Part of every cell of a mesh, for plan_partitions: by METIS, or by the place of the cell's middle on a space-filling
/// curve.
std::vector<Index> part_of_cells(const mesh::Mesh& mesh, const AssemblyOptions& options, Index size);

/// The partitions of a block and the order of its cells by them.
struct PartitionPlan {
  std::vector<Index> order;        ///< place -> cell
  std::vector<Index> first_place;  ///< [partitions + 1]
  std::vector<Offset> colour_ptr;  ///< colour_blocks: see Partitions
  std::vector<Index> by_colour, step_ptr, step_first;
  Index largest() const;
};
/// Partitions of at most `size` cells from the parts of part_of_cells; `colours`: coloured, and cells within sorted by
/// colour.
PartitionPlan plan_partitions(const std::vector<Index>& part, const DofBlock& dofs, Index all_dofs, Index size,
                              bool colours, int threads);

/// The lists of `shared`, on the host.
struct SharedPlan {
  std::vector<Offset> first_target, list_first, first_slice, first_node;
  std::vector<Index> targets, nodes;
  std::vector<std::uint16_t> lists, widths, local;
  std::vector<Index> target_of_partial;
};
SharedPlan plan_shared(const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs, const PartitionPlan& plan,
                       const std::vector<Offset>& row_ptr, const std::vector<Index>& col_ind, const BlockView& view,
                       bool by_columns, int threads);

}  // namespace tessera::assembly
