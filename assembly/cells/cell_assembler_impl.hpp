#pragma once
// CellAssembler, written once.
#include <chrono>

#include "assembly/cells/setup_impl.hpp"
#include "assembly/cells/shared_memory.hpp"
#include "assembly/facets/integrals.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "assembly/space/space.hpp"
#include "assembly/space/sparsity.hpp"
#include "base/backend.hpp"
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

inline int host_threads(const Threads& exec) { return exec.count(); }
inline int host_threads(const Cuda&) { return Threads().count(); }

/// The map with couplings as further cells; borrows the dofs of both.
inline DofMap coupled_map(const DofMap& map, const std::vector<DofBlock>& couplings) {
  DofMap result{map.order, map.nodes, map.dofs, {}, {}};
  Index cells = 0;
  for (const std::vector<DofBlock>* list : {&map.blocks, &couplings})
    for (const DofBlock& block : *list) {
      result.blocks.push_back({block.shape, block.geometry_order, block.nodes, CellDofs::borrowed(block.dofs), cells});
      cells += block.cells();
    }
  return result;
}

template <class Exec>
CellAssembler<Exec>::CellAssembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const FormTraits& traits,
                                   PartitionBytes partition_bytes, const AssemblyOptions& options)
    : exec_(exec), state_(std::make_unique<AssemblerState<Space>>()) {
  check_map(mesh, map);
  check_rows(map.dofs, traits.components);
  Stopwatch watch(exec);
  const StrategyChoice choice = choose_strategy(options, std::is_same_v<Space, Device>, mesh, map.order);
  if constexpr (std::is_same_v<Space, Device>)
    check_shared_memory(mesh, map, traits, false, options, shared_of_block());
  state_->mesh = &mesh;
  state_->map = &map;
  state_->components = traits.components;
  state_->options = options;
  if (options.couplings && !options.couplings->empty()) state_->coupled = coupled_map(map, *options.couplings);
  state_->strategy = choice.strategy;
  AssemblyReport& report = state_->report;
  report.strategy = strategy_entry(choice.strategy).name;
  report.why = choice.why;
  report.deterministic = strategy_entry(choice.strategy).deterministic;
  state_->coordinates = to_space<Space>(mesh.points);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    state_->blocks.push_back(make_block<Exec>(mesh.blocks[b], map.blocks[b], map, traits, state_->coordinates));
    report.elements += state_->blocks.back().cells;
    if (state_->blocks.back().cells > 0) order_block(exec, *state_, b, partition_bytes, host_threads(exec));
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

/// The pattern of nodes, and the lists of the strategy where they are not there yet. Values are left undefined.
template <class Exec>
linalg::Crs<typename Exec::Space> make_pattern_and_lists(Exec& exec, AssemblerState<typename Exec::Space>& state) {
  Stopwatch watch(exec);
  auto A = state.has_slots ? make_sparsity(exec, state.pattern_map()) : make_pattern(exec, state);
  state.report.sparsity_seconds = watch.seconds();
  if (!state.has_slots) {
    make_lists(exec, state, A, host_threads(exec));
    state.has_slots = true;
    state.report.setup_bytes = kept_bytes(state);
    state.report.setup_seconds += watch.seconds() - state.report.sparsity_seconds;
  }
  return A;
}

template <class Exec>
linalg::Crs<typename Exec::Space> CellAssembler<Exec>::make_matrix() {
  check_components(1, state_->components);
  linalg::Crs<Space> A = make_pattern_and_lists(exec_, *state_);
  set_zero(exec_, A.values.view());
  return A;
}

template <class Exec>
linalg::BlockCrs<typename Exec::Space> CellAssembler<Exec>::make_block_matrix() {
  const int m = state_->components;
  linalg::Crs<Space> nodes = make_pattern_and_lists(exec_, *state_);
  linalg::BlockCrs<Space> A{nodes.rows * m, nodes.cols * m, m, std::move(nodes.row_ptr), std::move(nodes.col_ind), {}};
  nodes.values = {};
  A.values = Array<double, Space>(A.nnz());
  set_zero(exec_, A.values.view());
  return A;
}

template <class Exec>
std::vector<double> CellAssembler<Exec>::facet_points(const mesh::Group& group) const {
  return facet_quadrature_points(*state_->mesh, *state_->map, group, host_threads(exec_));
}

}  // namespace tessera::assembly
