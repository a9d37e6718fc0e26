#pragma once
// What a strategy needs before the first refill: blocks on the backend, orders of cells, partitions, lists.
#include <algorithm>

#include "assembly/cells/block.hpp"
#include "assembly/cells/checks.hpp"
#include "assembly/cells/strategies.hpp"
#include "assembly/cells/tables.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

template <class Exec>
void set_zero(Exec& exec, View<double> values) {
  for_each(exec, values.size(), [=] TESSERA_HD(Offset i) { values[i] = 0; });
}

/// What a block needs for elements that are not symmetric.
template <class Space>
void add_wide_tables(const mesh::CellBlock& cells, const DofMap& map, bool second, BlockData<Space>& block) {
  const WideTables tables = make_wide_tables(cells, map.order, map.nodes, second);
  block.wide_basis = to_space<Space>(tables.basis);
  block.map_second = to_space<Space>(tables.map_second);
  block.view.wide.basis = block.wide_basis.data();
  block.view.wide.map_second = tables.map_second.empty() ? nullptr : block.map_second.data();
}

template <class Exec>
BlockData<typename Exec::Space> make_block(const mesh::CellBlock& cells, const DofBlock& dofs, const DofMap& map,
                                           const FormTraits& traits,
                                           const Array<double, typename Exec::Space>& coordinates) {
  using Space = typename Exec::Space;
  BlockData<Space> block;
  static_cast<BlockShape&>(block) = shape_of(cells, dofs, map.order, traits);
  const BlockTables tables = make_tables(cells, map.order, map.nodes, block.straight_simplex);
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
  view.coordinates = coordinates.data();
  view.basis = block.basis.data();
  view.map = block.map.data();
  view.weights = block.weights.data();
  view.reference = block.reference.data();
  view.load = block.load.data();
  view.reference_entries = block.reference_entries.data();
  view.padded_basis = block.padded_basis.data();
  view.map_columns = block.map_columns.data();
  if (!traits.symmetric) add_wide_tables(cells, map, traits.second, block);
  return block;
}

/// Order of processing of a block, by the strategy.
template <class Exec, class PartitionBytes>
void order_block(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b, PartitionBytes partition_bytes,
                 int threads) {
  BlockData<typename Exec::Space>& block = state.blocks[b];
  with_strategy(state.strategy, [&](auto strategy) {
    block.adds = strategy.adds;
    strategy.order(exec, state, b, partition_bytes, threads);
  });
  block.view.cell = block.cell.empty() ? nullptr : block.cell.data();
}

/// Whether a block keeps slots.
template <class Space>
bool wants_slots(const AssemblerState<Space>& state, const BlockData<Space>& block) {
  bool wants = block.cells > 0 && block.view.nodes <= most_nodes_with_slots;
  with_strategy(state.strategy, [&](auto strategy) { wants = wants && strategy.wants_slots(block); });
  return wants;
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
  slots.resize(state.pattern_map().blocks.size(), nullptr);
  linalg::Crs<Host> A = make_sparsity(exec, state.pattern_map(), slots);
  for (BlockData<Host>& block : state.blocks) block.view.slots = block.slots.data();
  return A;
}
inline linalg::Crs<Device> make_pattern(Cuda& exec, AssemblerState<Device>& state) {
  return make_sparsity(exec, state.pattern_map());
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

/// What a strategy needs beside the order of the cells, once the pattern is known.
template <class Exec>
void make_lists(Exec& exec, AssemblerState<typename Exec::Space>& state, linalg::Crs<typename Exec::Space>& A,
                int threads) {
  const linalg::CrsView<double> view = A.view();
  for (std::size_t b = 0; b < state.blocks.size(); ++b) {
    auto& block = state.blocks[b];
    if (block.cells == 0) continue;
    if (wants_slots(state, block) && !block.view.slots) make_slots(exec, block, view);
    with_strategy(state.strategy, [&](auto strategy) { strategy.prepare(exec, state, b, view, threads); });
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
