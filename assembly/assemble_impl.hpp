#pragma once
#include "assembly/assembler_data.hpp"
#include "assembly/boundary_impl.hpp"
#include "assembly/sparsity.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

template <class Exec>
BlockData<typename Exec::Space> make_block(Exec& exec, const mesh::CellBlock& cells, const DofBlock& dofs, const DofMap& map,
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
  block.view.nodes = dofs.nodes;
  block.view.geometry_nodes = cells.nodes_per_cell;
  block.view.points = tables.points;
  order_cells(exec, cells, dofs, map.dofs, block);
  BlockView& view = block.view;
  view.cell = block.cell.empty() ? nullptr : block.cell.data();
  view.coordinates = coordinates.data();
  view.basis = block.basis.data();
  view.map = block.map.data();
  view.weights = block.weights.data();
  view.reference = block.reference.data();
  view.load = block.load.data();
  return block;
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

template <class Space>
double kept_bytes(const AssemblerState<Space>& state) {
  double bytes = static_cast<double>(state.coordinates.bytes());
  for (const BlockData<Space>& block : state.blocks)
    bytes += static_cast<double>(block.dofs.bytes() + block.geometry.bytes() + block.cell.bytes() + block.slots.bytes() +
                                 block.reference.bytes() + block.basis.bytes() + block.map.bytes());
  return bytes;
}

template <class Exec>
Assembler<Exec>::Assembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map)
    : exec_(exec), state_(std::make_unique<AssemblerState<Space>>()) {
  check_map(mesh, map);
  state_->mesh = &mesh;
  state_->map = &map;
  state_->coordinates = to_space<Space>(mesh.points);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    state_->blocks.push_back(make_block(exec, mesh.blocks[b], map.blocks[b], map, state_->coordinates));
    state_->report.elements += state_->blocks.back().cells;
    state_->report.colours += static_cast<int>(state_->blocks.back().colour_ptr.size()) - 1;
  }
  state_->report.setup_bytes = kept_bytes(*state_);
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
  linalg::Crs<Space> A = make_sparsity(exec_, *state_->map);
  const linalg::CrsView<double> view = A.view();
  A.values.set_zero();
  if (!state_->has_slots) {
    for (auto& block : state_->blocks) make_slots(exec_, block, view);
    state_->has_slots = true;
    state_->report.setup_bytes = kept_bytes(*state_);
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
    if (block.straight_simplex)
      block.kernel = data.k.per_point || data.c.per_point ? Kernel::general
                     : state_->map->order == 1            ? Kernel::linear_simplex
                                                          : Kernel::affine_simplex;
  }
}

template <class Exec>
void Assembler<Exec>::refill(linalg::Crs<Space>& A, View<double> b) {
  const linalg::CrsView<double> view = A.view();
  check_system(state_->map->dofs, A.rows, b.size(), state_->has_slots);
  set_zero(exec_, A.values.view());
  set_zero(exec_, b);
  for (const BlockData<Space>& block : state_->blocks) refill_block(exec_, block, view, b);
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
  assemble_facets(exec_, *state_->mesh, *state_->map, group, alpha, g, state_->coordinates, A.view(), b);
}

}  // namespace tessera::assembly
