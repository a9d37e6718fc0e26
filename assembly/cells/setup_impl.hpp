#pragma once
// What a strategy needs before the first refill: blocks on the backend, orders of cells, partitions, lists.
#include <algorithm>

#include "assembly/cells/block.hpp"
#include "assembly/cells/checks.hpp"
#include "assembly/cells/tables.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

template <class Exec>
void set_zero(Exec& exec, View<double> values) {
  for_each(exec, values.size(), [=] TESSERA_HD(Offset i) { values[i] = 0; });
}

/// What a block needs for elements that are not symmetric.
template <class Space>
void add_wide_tables(const mesh::CellBlock& cells, int order, bool second, BlockData<Space>& block) {
  const WideTables tables = make_wide_tables(cells, order, second);
  block.wide_basis = to_space<Space>(tables.basis);
  block.map_second = to_space<Space>(tables.map_second);
  block.view.wide = {
      order,       tables.simplex_axes,     tables.width,
      tables.rows, block.wide_basis.data(), tables.map_second.empty() ? nullptr : block.map_second.data()};
}

template <class Exec>
BlockData<typename Exec::Space> make_block(const mesh::CellBlock& cells, const DofBlock& dofs, const DofMap& map,
                                           const FormTraits& traits,
                                           const Array<double, typename Exec::Space>& coordinates) {
  using Space = typename Exec::Space;
  BlockData<Space> block;
  block.shape = cells.shape;
  block.dim = mesh::dimension(cells.shape);
  block.cells = cells.cells();
  block.straight_simplex = cells.order == 1 && mesh::vertex_count(cells.shape) == block.dim + 1;
  block.kernel = !traits.symmetric || !block.straight_simplex ? Kernel::general
                 : map.order == 1                             ? Kernel::linear_simplex
                                                              : Kernel::affine_simplex;
  block.geometry_is_dofs = dofs.dofs == cells.nodes;
  const BlockTables tables = make_tables(cells, map.order, block.straight_simplex);
  block.basis = to_space<Space>(tables.basis);
  block.map = to_space<Space>(tables.map);
  block.weights = to_space<Space>(tables.weights);
  block.reference = to_space<Space>(tables.reference);
  block.load = to_space<Space>(tables.load);
  if constexpr (std::is_same_v<Space, Device>) {
    block.reference_entries = to_space<Space>(tables.reference_entries);
    block.padded_basis = to_space<Space>(tables.padded_basis);
    block.map_columns = to_space<Space>(tables.map_columns);
  }
  BlockView& view = block.view;
  view.nodes = dofs.nodes;
  view.geometry_nodes = cells.nodes_per_cell;
  view.points = tables.points;
  view.cells = block.cells;
  view.coordinates = coordinates.data();
  view.basis = block.basis.data();
  view.map = block.map.data();
  view.weights = block.weights.data();
  view.reference = block.reference.data();
  view.load = block.load.data();
  view.reference_entries = block.reference_entries.data();
  view.padded_basis = block.padded_basis.data();
  view.map_columns = block.map_columns.data();
  view.symmetric = traits.symmetric;
  view.components = traits.components;
  block.block_rows = traits.block_rows;
  if (!traits.symmetric) add_wide_tables(cells, map.order, traits.second, block);
  return block;
}

/// Most cells of a partition of this block: what was asked for, or tuned, as far as its values fit `bytes`.
template <class Exec>
Index partition_size(const AssemblerState<typename Exec::Space>& state, const BlockData<typename Exec::Space>& block,
                     std::size_t bytes) {
  const auto values = static_cast<int>(block.view.values());
  const bool on_gpu = std::is_same_v<typename Exec::Space, Device>;
  Index size = state.options.partition_size;
  if (size == 0) size = tuned_partition_size(state.strategy, on_gpu, values, bytes);
  if (state.strategy == Strategy::colour_blocks) return size;
  const std::size_t per_cell = sizeof(double) * (values + (on_gpu ? 3 * block.view.geometry_nodes : 0));
  const auto sources = static_cast<std::size_t>(source_of(block.view, block.view.entries(), false));
  const auto fit = static_cast<Index>(std::min<std::size_t>(bytes / per_cell, 65535 / sources));
  return std::clamp<Index>(size, 1, std::max<Index>(1, fit));
}

template <class Exec, class PartitionBytes>
void partition_block(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b,
                     PartitionBytes partition_bytes, int threads) {
  using Space = typename Exec::Space;
  BlockData<Space>& block = state.blocks[b];
  decide_columns(exec, block);
  const Index size = partition_size<Exec>(state, block, partition_bytes(exec, block));
  const std::vector<Index> part = part_of_cells(*state.mesh, state.options, size);
  const bool colours = state.strategy == Strategy::colour_blocks;
  PartitionPlan plan = plan_partitions(part, state.map->blocks[b], state.map->dofs, size, colours, threads);
  Partitions<Space>& partitions = block.partitions;
  partitions.largest = plan.largest();
  partitions.first_place = plan.first_place;
  partitions.first = to_space<Space>(plan.first_place);
  partitions.colour_ptr = plan.colour_ptr;
  partitions.by_colour = to_space<Space>(plan.by_colour);
  partitions.step_ptr = to_space<Space>(plan.step_ptr);
  partitions.step_first = to_space<Space>(plan.step_first);
  place_cells(exec, state.mesh->blocks[b], state.map->blocks[b], std::move(plan.order), block);
  state.report.partitions += static_cast<Index>(plan.first_place.size()) - 1;
  state.report.partition_size = std::max(state.report.partition_size, partitions.largest);
  if (colours) state.report.colours += static_cast<int>(plan.colour_ptr.size()) - 1;
}

/// Order of processing of a block, by the strategy.
template <class Exec, class PartitionBytes>
void order_block(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b, PartitionBytes partition_bytes,
                 int threads) {
  const mesh::CellBlock& cells = state.mesh->blocks[b];
  const DofBlock& dofs = state.map->blocks[b];
  BlockData<typename Exec::Space>& block = state.blocks[b];
  block.adds = state.strategy == Strategy::colour || state.strategy == Strategy::colour_blocks ||
               state.strategy == Strategy::atomic;
  switch (state.strategy) {
    case Strategy::colour:
      order_cells(exec, cells, dofs, state.map->dofs, block);
      state.report.colours += static_cast<int>(block.colour_ptr.size()) - 1;
      break;
    case Strategy::colour_blocks:
    case Strategy::shared: partition_block(exec, state, b, partition_bytes, threads); break;
    default: place_cells(exec, cells, dofs, {}, block);
  }
  block.view.cell = block.cell.empty() ? nullptr : block.cell.data();
}

/// Whether a block keeps slots: simplices gathered by a lane a row have them in their own lists; reductions name positions.
template <class Space>
bool wants_slots(const AssemblerState<Space>& state, const BlockData<Space>& block) {
  const bool lane_a_row = std::is_same_v<Space, Device> && state.strategy == Strategy::nonzeros &&
                          block.is_linear_simplex() && !block.block_rows;
  return block.cells > 0 && state.strategy != Strategy::shared && !lane_a_row &&
         block.view.nodes <= most_nodes_with_slots;
}

template <class Space>
Array<std::uint16_t, Space> slot_array(const BlockData<Space>& block) {
  return Array<std::uint16_t, Space>(Offset{block.cells} * block.view.nodes * block.view.nodes);
}

/// The sparsity; on threads with the slots of the blocks whose cells are in their natural order.
inline linalg::Crs<Host> make_pattern(Threads& exec, AssemblerState<Host>& state) {
  SlotArrays slots;
  for (BlockData<Host>& block : state.blocks) {
    if (wants_slots(state, block) && block.order.empty()) block.slots = slot_array(block);
    slots.push_back(block.slots.data());
  }
  linalg::Crs<Host> A = make_sparsity(exec, *state.map, slots);
  for (BlockData<Host>& block : state.blocks) block.view.slots = block.slots.data();
  return A;
}
inline linalg::Crs<Device> make_pattern(Cuda& exec, AssemblerState<Device>& state) {
  return make_sparsity(exec, *state.map);
}

/// slots[place, i, j] = position of dof j in the row of dof i.
template <class Exec>
void make_slots(Exec& exec, BlockData<typename Exec::Space>& block, const linalg::CrsView<double>& A) {
  block.slots = slot_array(block);
  std::uint16_t* slots = block.slots.data();
  Array<int, typename Exec::Space> too_long(1);
  too_long.set_zero();
  fill_slots(exec, block, A, slots, too_long.data());
  exec.synchronize();
  if (to_vector(too_long)[0]) throw_long_row(longest_row);
  block.view.slots = slots;
}

/// two_pass: ranges of cells whose values fit the buffer, and the reduction of each.
template <class Exec>
void make_reductions(Exec& exec, AssemblerState<typename Exec::Space>& state, BlockData<typename Exec::Space>& block,
                     const linalg::CrsView<const double>& pattern) {
  const double bytes = state.options.buffer_bytes > 0 ? state.options.buffer_bytes : default_buffer_bytes(exec);
  const BlockView& view = block.view;
  // Lists count sources with 31 bits.
  const double fit = 2147483647.0 / static_cast<double>(source_of(view, view.entries(), false));
  const auto most =
      static_cast<Index>(std::clamp(bytes / sizeof(double) / static_cast<double>(view.values()), 1.0, fit));
  block.around = cells_around(exec, block, pattern.rows);
  for (Index first = 0; first < block.cells; first += std::min<Index>(most, block.cells - first)) {
    const Index count = std::min<Index>(most, block.cells - first);
    block.range_first.push_back(first);
    block.reductions.push_back(make_reduction(exec, block, pattern, first, count));
    const Offset size = count * view.values();
    if (state.buffer.size() < size) state.buffer = Array<double, typename Exec::Space>(size);
  }
  block.range_first.push_back(block.cells);
  state.report.partitions += static_cast<Index>(block.reductions.size());
  block.around = {};
}

template <class Exec>
void make_shared_lists(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b,
                       const std::vector<Offset>& row_ptr, const std::vector<Index>& col_ind, int threads) {
  using Space = typename Exec::Space;
  BlockData<Space>& block = state.blocks[b];
  Partitions<Space>& p = block.partitions;
  PartitionPlan plan;
  plan.first_place = p.first_place;
  plan.order = block.order;
  const SharedPlan lists = plan_shared(state.mesh->blocks[b], state.map->blocks[b], state.map->dofs, plan, row_ptr,
                                       col_ind, block.view, block.by_columns, threads);
  p.first_target = to_space<Space>(lists.first_target);
  p.targets = to_space<Space>(lists.targets);
  p.list_first = to_space<Space>(lists.list_first);
  p.lists = to_space<Space>(lists.lists);
  p.widths = to_space<Space>(lists.widths);
  p.first_slice = to_space<Space>(lists.first_slice);
  p.first_node = to_space<Space>(lists.first_node);
  p.nodes = to_space<Space>(lists.nodes);
  p.local = to_space<Space>(lists.local);
  for (std::size_t k = 0; k + 1 < lists.first_node.size(); ++k)
    p.most_nodes = std::max(p.most_nodes, lists.first_node[k + 1] - lists.first_node[k]);
  p.partials = static_cast<Offset>(lists.target_of_partial.size());
  p.finish =
      make_partial_reduction(exec, lists.target_of_partial, static_cast<Offset>(col_ind.size()) + state.map->dofs);
  const Offset size = p.partials * block.view.components * block.view.components;
  if (state.buffer.size() < size) state.buffer = Array<double, Space>(size);
}

/// What a strategy needs beside the order of the cells, once the pattern is known.
template <class Exec>
void make_lists(Exec& exec, AssemblerState<typename Exec::Space>& state, linalg::Crs<typename Exec::Space>& A,
                int threads) {
  const linalg::CrsView<double> view = A.view();
  const linalg::CrsView<const double> pattern = view;
  std::vector<Offset> row_ptr;
  std::vector<Index> col_ind;
  if (state.strategy == Strategy::shared) row_ptr = to_vector(A.row_ptr), col_ind = to_vector(A.col_ind);
  for (std::size_t b = 0; b < state.blocks.size(); ++b) {
    auto& block = state.blocks[b];
    if (block.cells == 0) continue;
    if (wants_slots(state, block) && !block.view.slots) make_slots(exec, block, view);
    if (state.strategy == Strategy::nonzeros) make_row_lists(exec, block, pattern);
    if (state.strategy == Strategy::shared) make_shared_lists(exec, state, b, row_ptr, col_ind, threads);
    if (state.strategy == Strategy::two_pass) {
      make_reductions(exec, state, block, pattern);
      block.slots = {}, block.view.slots = nullptr;
    }
  }
}

template <class Space>
double kept_bytes(const AssemblerState<Space>& state) {
  double bytes = static_cast<double>(state.coordinates.bytes() + state.buffer.bytes() + state.row_of.bytes());
  for (const BlockData<Space>& block : state.blocks)
    bytes +=
        static_cast<double>(block.dofs.bytes() + block.geometry.bytes() + block.cell.bytes() + block.slots.bytes() +
                            block.reference.bytes() + block.basis.bytes() + block.map.bytes() + block.list_bytes());
  return bytes;
}

}  // namespace tessera::assembly
