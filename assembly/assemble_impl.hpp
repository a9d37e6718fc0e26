#pragma once
#include <chrono>

#include "assembly/assembler_data.hpp"
#include "assembly/boundary_impl.hpp"
#include "assembly/sparsity.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

/// Seconds since it was made, with the work queued on the backend.
template <class Exec>
class Stopwatch {
 public:
  explicit Stopwatch(Exec& exec) : exec_(exec), start_(std::chrono::steady_clock::now()) {}
  double seconds() {
    exec_.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  Exec& exec_;
  std::chrono::steady_clock::time_point start_;
};

template <class Exec>
BlockData<typename Exec::Space> make_block(const mesh::CellBlock& cells, const DofBlock& dofs, const DofMap& map,
                                           const Array<double, typename Exec::Space>& coordinates) {
  using Space = typename Exec::Space;
  BlockData<Space> block;
  block.shape = cells.shape;
  block.dim = mesh::dimension(cells.shape);
  block.cells = cells.cells();
  block.straight_simplex = cells.order == 1 && mesh::vertex_count(cells.shape) == block.dim + 1;
  block.kernel = !block.straight_simplex ? Kernel::general : map.order == 1 ? Kernel::linear_simplex : Kernel::affine_simplex;
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
  return block;
}

/// Most cells of a partition of this block: what was asked for, or tuned, as far as it fits.
template <class Exec>
Index partition_size(Exec& exec, const AssemblerState<typename Exec::Space>& state, BlockData<typename Exec::Space>& block) {
  const int entries = block.view.entries();
  const bool on_gpu = std::is_same_v<typename Exec::Space, Device>;
  const std::size_t bytes = partition_bytes(exec, block);
  Index size = state.options.partition_size;
  if (size == 0) size = tuned_partition_size(state.strategy, on_gpu, entries, bytes);
  if (state.strategy == Strategy::colour_blocks) return size;
  const std::size_t per_cell = sizeof(double) * (entries + (on_gpu ? 3 * block.view.geometry_nodes : 0));
  const auto fit = static_cast<Index>(std::min<std::size_t>(bytes / per_cell, 65535 / entries));
  return std::clamp<Index>(size, 1, std::max<Index>(1, fit));
}

template <class Exec>
void partition_block(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b, int threads) {
  using Space = typename Exec::Space;
  BlockData<Space>& block = state.blocks[b];
  decide_columns(exec, block);
  const Index size = partition_size(exec, state, block);
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
template <class Exec>
void order_block(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b, int threads) {
  const mesh::CellBlock& cells = state.mesh->blocks[b];
  const DofBlock& dofs = state.map->blocks[b];
  BlockData<typename Exec::Space>& block = state.blocks[b];
  switch (state.strategy) {
    case Strategy::colour:
      order_cells(exec, cells, dofs, state.map->dofs, block);
      state.report.colours += static_cast<int>(block.colour_ptr.size()) - 1;
      break;
    case Strategy::colour_blocks:
    case Strategy::shared: partition_block(exec, state, b, threads); break;
    default: place_cells(exec, cells, dofs, {}, block);
  }
  block.view.cell = block.cell.empty() ? nullptr : block.cell.data();
}

template <class Exec>
void set_zero(Exec& exec, View<double> values) {
  for_each(exec, values.size(), [=] TESSERA_HD(Offset i) { values[i] = 0; });
}

/// slots[place, i, j] = position of dof j in the row of dof i.
template <class Exec>
void make_slots(Exec& exec, BlockData<typename Exec::Space>& block, const linalg::CrsView<double>& A) {
  const int n = block.view.nodes;
  if (n > most_nodes_with_slots) return;
  const Offset entries = Offset{block.cells} * n * n;
  block.slots = Array<std::uint16_t, typename Exec::Space>(entries);
  std::uint16_t* slots = block.slots.data();
  Array<int, typename Exec::Space> too_long(1);
  too_long.set_zero();
  fill_slots(exec, block, A, slots, too_long.data());
  exec.synchronize();
  if (to_vector(too_long)[0])
    throw_long_row(longest_row);
  block.view.slots = slots;
}

/// two_pass: ranges of cells whose values fit the buffer, and the reduction of each.
template <class Exec>
void make_reductions(Exec& exec, AssemblerState<typename Exec::Space>& state, BlockData<typename Exec::Space>& block,
                     const linalg::CrsView<const double>& pattern) {
  const double bytes = state.options.buffer_bytes > 0 ? state.options.buffer_bytes : default_buffer_bytes(exec);
  const double values = std::min(bytes / sizeof(double), 2147483647.0);
  const auto most = static_cast<Index>(std::clamp(values / block.view.entries(), 1.0, 2147483647.0));
  block.around = cells_around(exec, block, pattern.rows);
  for (Index first = 0; first < block.cells; first += std::min<Index>(most, block.cells - first)) {
    const Index count = std::min<Index>(most, block.cells - first);
    block.range_first.push_back(first);
    block.reductions.push_back(make_reduction(exec, block, pattern, first, count));
    const Offset size = Offset{count} * block.view.entries();
    if (state.buffer.size() < size) state.buffer = Array<double, typename Exec::Space>(size);
  }
  block.range_first.push_back(block.cells);
  state.report.partitions += static_cast<Index>(block.reductions.size());
  block.around = {};
}

template <class Exec>
void make_shared_lists(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b, const std::vector<Offset>& row_ptr,
                       const std::vector<Index>& col_ind, int threads) {
  using Space = typename Exec::Space;
  BlockData<Space>& block = state.blocks[b];
  Partitions<Space>& p = block.partitions;
  PartitionPlan plan;
  plan.first_place = p.first_place;
  plan.order = block.order;
  const SharedPlan lists = plan_shared(state.mesh->blocks[b], state.map->blocks[b], state.map->dofs, plan, row_ptr, col_ind, block.by_columns, threads);
  p.first_target = to_space<Space>(lists.first_target);
  p.targets = to_space<Space>(lists.targets);
  p.list_first = to_space<Space>(lists.list_first);
  p.lists = to_space<Space>(lists.lists);
  p.widths = to_space<Space>(lists.widths);
  p.first_slice = to_space<Space>(lists.first_slice);
  p.first_node = to_space<Space>(lists.first_node);
  p.nodes = to_space<Space>(lists.nodes);
  p.local = to_space<Space>(lists.local);
  for (std::size_t k = 0; k + 1 < lists.first_node.size(); ++k) p.most_nodes = std::max(p.most_nodes, lists.first_node[k + 1] - lists.first_node[k]);
  p.partials = static_cast<Offset>(lists.target_of_partial.size());
  p.finish = make_partial_reduction(exec, lists.target_of_partial, static_cast<Offset>(col_ind.size()) + state.map->dofs);
  if (state.buffer.size() < p.partials) state.buffer = Array<double, Space>(p.partials);
}

/// What a strategy needs beside the order of the cells, once the pattern is known.
template <class Exec>
void make_lists(Exec& exec, AssemblerState<typename Exec::Space>& state, linalg::Crs<typename Exec::Space>& A, int threads) {
  const linalg::CrsView<double> view = A.view();
  const linalg::CrsView<const double> pattern = view;
  std::vector<Offset> row_ptr;
  std::vector<Index> col_ind;
  if (state.strategy == Strategy::shared) row_ptr = to_vector(A.row_ptr), col_ind = to_vector(A.col_ind);
  for (std::size_t b = 0; b < state.blocks.size(); ++b) {
    auto& block = state.blocks[b];
    if (block.cells == 0) continue;
    // Simplices gathered by a lane a row have the slots in their own lists; reductions name positions.
    const bool slots = state.strategy != Strategy::shared &&
                       !(std::is_same_v<Exec, Cuda> && state.strategy == Strategy::nonzeros && block.kernel == Kernel::linear_simplex);
    if (slots) make_slots(exec, block, view);
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
    bytes += static_cast<double>(block.dofs.bytes() + block.geometry.bytes() + block.cell.bytes() + block.slots.bytes() +
                                 block.reference.bytes() + block.basis.bytes() + block.map.bytes() + block.list_bytes());
  return bytes;
}

inline int host_threads(const Threads& exec) { return exec.count(); }
inline int host_threads(const Cuda&) { return Threads().count(); }

template <class Exec>
Assembler<Exec>::Assembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const AssemblyOptions& options)
    : exec_(exec), state_(std::make_unique<AssemblerState<Space>>()) {
  check_map(mesh, map);
  Stopwatch watch(exec);
  const StrategyChoice choice = choose_strategy(options, std::is_same_v<Space, Device>, mesh, map.order);
  state_->mesh = &mesh;
  state_->map = &map;
  state_->options = options;
  state_->strategy = choice.strategy;
  AssemblyReport& report = state_->report;
  report.strategy = strategy_entry(choice.strategy).name;
  report.why = choice.why;
  report.deterministic = strategy_entry(choice.strategy).deterministic;
  state_->coordinates = to_space<Space>(mesh.points);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    state_->blocks.push_back(make_block<Exec>(mesh.blocks[b], map.blocks[b], map, state_->coordinates));
    report.elements += state_->blocks.back().cells;
    if (state_->blocks.back().cells > 0) order_block(exec, *state_, b, host_threads(exec));
  }
  report.setup_bytes = kept_bytes(*state_);
  report.setup_seconds = watch.seconds();
}

template <class Exec>
Assembler<Exec>::~Assembler() = default;

template <class Exec>
const AssemblyReport& Assembler<Exec>::report() const {
  return state_->report;
}

template <class Exec>
int Assembler<Exec>::points_per_cell(int block) const {
  return state_->blocks.at(block).view.points;
}

template <class Exec>
std::vector<double> Assembler<Exec>::quadrature_points() const {
  return cell_quadrature_points(*state_->mesh, *state_->map);
}

template <class Exec>
linalg::Crs<typename Exec::Space> Assembler<Exec>::make_matrix() {
  Stopwatch watch(exec_);
  linalg::Crs<Space> A = make_sparsity(exec_, *state_->map);
  A.values.set_zero();
  state_->report.sparsity_seconds = watch.seconds();
  if (!state_->has_slots) {
    make_lists(exec_, *state_, A, host_threads(exec_));
    state_->has_slots = true;
    state_->report.setup_bytes = kept_bytes(*state_);
    state_->report.setup_seconds += watch.seconds() - state_->report.sparsity_seconds;
  }
  return A;
}

/// Copies a coefficient's values of one block; `first` counts the values of the blocks before it.
template <class Space>
CoefficientView place_coefficient(const Coefficient& coefficient, const BlockData<Space>& block, const char* name,
                                  Offset& first, Array<double, Space>& there) {
  if (coefficient.values.empty()) return {};
  const View<const double> values = block_values(coefficient, block.dim, Offset{block.cells} * block.view.points, name, first);
  if (there.size() != values.size()) there = Array<double, Space>(values.size());
  copy_bytes(Host{}, values.data(), Space{}, there.data(), there.bytes());
  return {there.data(), coefficient.components, coefficient.per_point};
}

template <class Space>
void place_regions(const std::vector<Index>& region, const DofBlock& dofs, BlockData<Space>& block) {
  block.view.region = nullptr;
  if (region.empty()) return;
  std::vector<Index> placed(region.begin() + dofs.first_cell, region.begin() + dofs.first_cell + block.cells);
  if (!block.order.empty())
    for (Index place = 0; place < block.cells; ++place) placed[place] = region[dofs.first_cell + block.order[place]];
  block.region = to_space<Space>(placed);
  block.view.region = block.region.data();
}

template <class Exec>
void Assembler<Exec>::set_data(const DiffusionData& data) {
  check_data(data, state_->report.elements);
  Offset first_k = 0, first_c = 0, first_f = 0;
  for (std::size_t b = 0; b < state_->blocks.size(); ++b) {
    BlockData<Space>& block = state_->blocks[b];
    place_regions(data.region, state_->map->blocks[b], block);
    block.view.k = place_coefficient(data.k, block, "k", first_k, block.k);
    block.view.c = place_coefficient(data.c, block, "c", first_c, block.c);
    block.view.f = place_coefficient(data.f, block, "f", first_f, block.f);
    // On CUDA linear simplices take means over the points.
    const bool at_points = (data.k.per_point || data.c.per_point) && !(state_->map->order == 1 && std::is_same_v<Space, Device>);
    if (block.straight_simplex)
      block.kernel = at_points ? Kernel::general : state_->map->order == 1 ? Kernel::linear_simplex : Kernel::affine_simplex;
  }
}

/// Rows of the non-zeros, which reductions need where the layout is not that of the pattern.
template <class Exec>
void make_row_of(Exec& exec, AssemblerState<typename Exec::Space>& state, const linalg::CrsView<const double>& pattern) {
  if (state.row_of.size() == pattern.col_ind.size()) return;
  state.row_of = Array<Index, typename Exec::Space>(pattern.col_ind.size());
  const View<Index> row_of = state.row_of.view();
  for_each(exec, pattern.rows, [=] TESSERA_HD(Offset row) {
    for (Offset k = pattern.row_ptr[row]; k < pattern.row_ptr[row + 1]; ++k) row_of[k] = static_cast<Index>(row);
  });
}

/// One block into the target; `add`: to what is there, else it overwrites everything.
template <class Exec>
void refill_block(Exec& exec, AssemblerState<typename Exec::Space>& state, const BlockData<typename Exec::Space>& block, const Target& target,
                  bool add) {
  double* buffer = state.buffer.data();
  const bool as_pattern = target.layout.slice == 1 && target.layout.starts == target.pattern.row_ptr.data();
  const Index* row_of = as_pattern ? nullptr : state.row_of.data();
  switch (state.strategy) {
    case Strategy::nonzeros: gather_rows(exec, block, target, add); break;
    case Strategy::two_pass:
      for (std::size_t range = 0; range < block.reductions.size(); ++range) {
        const Index first = block.range_first[range];
        store_cells(exec, block, first, block.range_first[range + 1] - first, buffer);
        reduce_values(exec, block.reductions[range], buffer, target, row_of, add || range > 0);
      }
      break;
    case Strategy::shared:
      sum_partitions(exec, block, target, row_of, buffer, add);
      reduce_values(exec, block.partitions.finish, buffer, target, row_of, add);
      break;
    default: add_cells(exec, state.strategy, block, target);
  }
}

template <class Exec>
void Assembler<Exec>::refill(const linalg::Crs<Space>& pattern, const linalg::RowLayout& layout, View<double> values, View<double> b) {
  check_system(state_->map->dofs, pattern.rows, b.size(), state_->has_slots);
  const Target target{layout, values.data(), b.data(), pattern.view()};
  const bool by_reduction = state_->strategy == Strategy::two_pass || state_->strategy == Strategy::shared;
  if (by_reduction && layout.starts != pattern.row_ptr.data()) make_row_of(exec_, *state_, target.pattern);
  // Only one block that writes every entry needs no zeroing.
  bool add = state_->strategy == Strategy::colour || state_->strategy == Strategy::colour_blocks || state_->strategy == Strategy::atomic;
  std::size_t filled = 0;
  for (const BlockData<Space>& block : state_->blocks) filled += block.cells > 0;
  add = add || filled != 1;
  if (add) {
    set_zero(exec_, values);
    set_zero(exec_, b);
  }
  for (const BlockData<Space>& block : state_->blocks)
    if (block.cells > 0) refill_block(exec_, *state_, block, target, add);
}

template <class Exec>
void Assembler<Exec>::refill(linalg::Crs<Space>& A, View<double> b) {
  refill(A, {A.row_ptr.data(), 1}, A.values.view(), b);
}

template <class Exec>
void Assembler<Exec>::assemble(const DiffusionData& data, linalg::Crs<Space>& A, View<double> b) {
  set_data(data);
  refill(A, b);
}

template <class Exec>
double Assembler<Exec>::refill_bytes(const linalg::Crs<Space>& A) const {
  double bytes = static_cast<double>(A.values.bytes()) + 8.0 * A.rows * 2 + static_cast<double>(state_->coordinates.bytes());
  for (const auto& block : state_->blocks)
    bytes += 4.0 * block.cells * (block.view.nodes + (block.geometry_is_dofs ? 0 : block.view.geometry_nodes)) +
             static_cast<double>(block.slots.bytes() + (block.view.region ? block.region.bytes() : 0) + block.k.bytes() +
                                 block.c.bytes() + block.f.bytes());
  return bytes;
}

template <class Exec>
std::vector<double> Assembler<Exec>::facet_points(const mesh::Group& group) const {
  return facet_quadrature_points(*state_->mesh, *state_->map, group);
}

template <class Exec>
void Assembler<Exec>::add_facets(const mesh::Group& group, std::span<const double> alpha, std::span<const double> g,
                                 linalg::Crs<Space>& A, View<double> b) {
  add_facets(group, alpha, g, A, {A.row_ptr.data(), 1}, A.values.view(), b);
}

template <class Exec>
void Assembler<Exec>::add_facets(const mesh::Group& group, std::span<const double> alpha, std::span<const double> g,
                                 const linalg::Crs<Space>& pattern, const linalg::RowLayout& layout, View<double> values, View<double> b) {
  assemble_facets(exec_, *state_->mesh, *state_->map, group, alpha, g, state_->coordinates, {layout, values.data(), b.data(), pattern.view()});
}

}  // namespace tessera::assembly
