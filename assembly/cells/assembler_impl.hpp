#pragma once
#include <chrono>

#include "assembly/cells/place_fields_impl.hpp"
#include "assembly/cells/setup_impl.hpp"
#include "assembly/facets/integrals_impl.hpp"
#include "assembly/space/sparsity.hpp"
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
void set_zero(Exec& exec, View<double> values) {
  for_each(exec, values.size(), [=] TESSERA_HD(Offset i) { values[i] = 0; });
}

inline int host_threads(const Threads& exec) { return exec.count(); }
inline int host_threads(const Cuda&) { return Threads().count(); }

template <class Exec>
CellAssembler<Exec>::CellAssembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, Form form,
                                   const AssemblyOptions& options)
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
    state_->blocks.push_back(make_block<Exec>(mesh.blocks[b], map.blocks[b], map, form, state_->coordinates));
    report.elements += state_->blocks.back().cells;
    if (state_->blocks.back().cells > 0) order_block(exec, *state_, b, host_threads(exec));
  }
  report.setup_bytes = kept_bytes(*state_);
  report.setup_seconds = watch.seconds();
}

template <class Exec>
CellAssembler<Exec>::~CellAssembler() = default;

template <class Exec>
const AssemblyReport& CellAssembler<Exec>::report() const {
  return state_->report;
}

template <class Exec>
int CellAssembler<Exec>::points_per_cell(int block) const {
  return state_->blocks.at(block).view.points;
}

template <class Exec>
std::vector<double> CellAssembler<Exec>::quadrature_points() const {
  return cell_quadrature_points(*state_->mesh, *state_->map);
}

template <class Exec>
linalg::Crs<typename Exec::Space> CellAssembler<Exec>::make_matrix() {
  Stopwatch watch(exec_);
  linalg::Crs<Space> A = state_->has_slots ? make_sparsity(exec_, *state_->map) : make_pattern(exec_, *state_);
  set_zero(exec_, A.values.view());
  state_->report.sparsity_seconds = watch.seconds();
  if (!state_->has_slots) {
    make_lists(exec_, *state_, A, host_threads(exec_));
    state_->has_slots = true;
    state_->report.setup_bytes = kept_bytes(*state_);
    state_->report.setup_seconds += watch.seconds() - state_->report.sparsity_seconds;
  }
  return A;
}

/// Rows of the non-zeros, which reductions need where the layout is not that of the pattern.
template <class Exec>
void make_row_of(Exec& exec, AssemblerState<typename Exec::Space>& state,
                 const linalg::CrsView<const double>& pattern) {
  if (state.row_of.size() == pattern.col_ind.size()) return;
  state.row_of = Array<Index, typename Exec::Space>(pattern.col_ind.size());
  const View<Index> row_of = state.row_of.view();
  for_each(exec, pattern.rows, [=] TESSERA_HD(Offset row) {
    for (Offset k = pattern.row_ptr[row]; k < pattern.row_ptr[row + 1]; ++k) row_of[k] = static_cast<Index>(row);
  });
}

/// One block into the target; `add`: to what is there, else it overwrites everything.
template <class Exec>
void refill_block(Exec& exec, AssemblerState<typename Exec::Space>& state, const BlockData<typename Exec::Space>& block,
                  const Target& target, bool add) {
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
void CellAssembler<Exec>::refill(const linalg::Crs<Space>& pattern, const linalg::RowLayout& layout,
                                 View<double> values, View<double> b) {
  check_system(state_->map->dofs, pattern.rows, b.size(), state_->has_slots);
  const Target target{layout, values.data(), b.data(), pattern.view()};
  const bool by_reduction = state_->strategy == Strategy::two_pass || state_->strategy == Strategy::shared;
  if (by_reduction && layout.starts != pattern.row_ptr.data()) make_row_of(exec_, *state_, target.pattern);
  // Only one block that writes every entry needs no zeroing.
  bool add = state_->strategy == Strategy::colour || state_->strategy == Strategy::colour_blocks ||
             state_->strategy == Strategy::atomic;
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
void CellAssembler<Exec>::refill(linalg::Crs<Space>& A, View<double> b) {
  refill(A, {A.row_ptr.data(), 1}, A.values.view(), b);
}

template <class Exec>
double CellAssembler<Exec>::refill_bytes(const linalg::Crs<Space>& A) const {
  double bytes =
      static_cast<double>(A.values.bytes()) + 8.0 * A.rows * 2 + static_cast<double>(state_->coordinates.bytes());
  for (const auto& block : state_->blocks)
    bytes +=
        4.0 * block.cells * (block.view.nodes + (block.geometry_is_dofs ? 0 : block.view.geometry_nodes)) +
        static_cast<double>(block.slots.bytes() + (block.view.region ? block.region.bytes() : 0) + block.k.bytes() +
                            block.c.bytes() + block.f.bytes() + block.velocity.bytes() + block.divergence.bytes());
  return bytes;
}

template <class Exec>
std::vector<double> CellAssembler<Exec>::facet_points(const mesh::Group& group) const {
  return facet_quadrature_points(*state_->mesh, *state_->map, group, host_threads(exec_));
}

template <class Exec>
void CellAssembler<Exec>::add_facets(const mesh::Group& group, std::span<const double> alpha, std::span<const double> g,
                                     linalg::Crs<Space>& A, View<double> b) {
  add_facets(group, alpha, g, A, {A.row_ptr.data(), 1}, A.values.view(), b);
}

template <class Exec>
void CellAssembler<Exec>::add_facets(const mesh::Group& group, std::span<const double> alpha, std::span<const double> g,
                                     const linalg::Crs<Space>& pattern, const linalg::RowLayout& layout,
                                     View<double> values, View<double> b) {
  assemble_facets(exec_, *state_->mesh, *state_->map, group, alpha, g, state_->coordinates,
                  {layout, values.data(), b.data(), pattern.view()});
}

template <class Exec>
Assembler<Exec>::Assembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const AssemblyOptions& options)
    : CellAssembler<Exec>(exec, mesh, map, Form::diffusion, options) {}

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
    const bool at_points =
        (data.k.per_point || data.c.per_point) && !(state_->map->order == 1 && std::is_same_v<Space, Device>);
    if (block.straight_simplex)
      block.kernel = at_points                 ? Kernel::general
                     : state_->map->order == 1 ? Kernel::linear_simplex
                                               : Kernel::affine_simplex;
  }
}

template <class Exec>
void Assembler<Exec>::assemble(const DiffusionData& data, linalg::Crs<Space>& A, View<double> b) {
  set_data(data);
  this->refill(A, b);
}

}  // namespace tessera::assembly
