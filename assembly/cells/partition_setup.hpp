#pragma once
// What the strategies set up: partitions, reductions, lists.
#include <algorithm>

#include "assembly/cells/block.hpp"
#include "assembly/cells/checks.hpp"

namespace tessera::assembly {

/// shared: most cells of a partition of this block: what was asked for, or tuned, as far as its values fit `bytes` and
/// their numbers 16 bits. Throws Error(usage) where those of one cell do not.
template <class Exec>
Index shared_partition_size(const AssemblerState<typename Exec::Space>& state,
                            const BlockData<typename Exec::Space>& block, std::size_t bytes) {
  const auto values = static_cast<int>(block.view.values());
  const bool on_gpu = std::is_same_v<typename Exec::Space, Device>;
  Index size = state.options.partition_size;
  if (size == 0) size = tuned_shared_size(on_gpu, values, bytes);
  const std::size_t per_cell = sizeof(double) * (values + (on_gpu ? 3 * block.view.geometry_nodes : 0));
  const auto sources = static_cast<std::size_t>(source_of(block.view, block.view.entries(), false));
  check_shared_sources(block.view.nodes, sources);
  const auto fit = static_cast<Index>(std::min<std::size_t>(bytes / per_cell, most_shared_sources / sources));
  return std::clamp<Index>(size, 1, std::max<Index>(1, fit));
}

/// Cuts a block into partitions of at most `size` cells, coloured or not.
template <class Exec>
void partition_block(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b, Index size, bool colours,
                     int threads) {
  using Space = typename Exec::Space;
  BlockData<Space>& block = state.blocks[b];
  const std::vector<Index> part = part_of_cells(*state.mesh, state.options, size);
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

/// A view on the backend as a vector on the host.
template <class Space, class T>
std::vector<T> on_host(View<const T> there) {
  std::vector<T> here(static_cast<std::size_t>(there.size()));
  copy_bytes(Space{}, there.data(), Host{}, here.data(), here.size() * sizeof(T));
  return here;
}

/// shared: the lists of a block.
template <class Exec>
void make_shared_lists(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b,
                       const linalg::CrsView<const double>& pattern, int threads) {
  using Space = typename Exec::Space;
  const std::vector<Offset> row_ptr = on_host<Space>(pattern.row_ptr);
  const std::vector<Index> col_ind = on_host<Space>(pattern.col_ind);
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

}  // namespace tessera::assembly
