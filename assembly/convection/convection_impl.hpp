#pragma once
// ConvectionAssembler, written once; adding cells is the business of convection_threads.cpp and convection_cuda.cu.
#include "assembly/assemble_impl.hpp"
#include "assembly/convection/convection.hpp"
#include "assembly/convection/convection_form.hpp"
#include "assembly/convection/convection_tables.hpp"

namespace tessera::assembly {

/// What a block needs beside its BlockData.
template <class Space>
struct ConvectionBlock {
  Array<double, Space> basis, map_second, velocity, divergence;
  ConvectionView view;  ///< of the arrays above; its BlockView is filled in by each refill
};

template <class Space>
struct ConvectionState {
  AssemblerState<Space> cells;
  std::vector<ConvectionBlock<Space>> blocks;
};

/// Adds all cells of a block, colour by colour, to values that were zeroed before.
void add_convection(Threads& exec, const BlockData<Host>& block, const ConvectionView& view, const Target& target);
void add_convection(Cuda& exec, const BlockData<Device>& block, const ConvectionView& view, const Target& target);

/// Throws Error(usage) for another strategy than "auto" and "colour".
void check_strategy(const ConvectionOptions& options);
/// Throws Error(internal) unless a vector coefficient has `dim` components and a value for every region, or every point.
void check_vector(const Coefficient& coefficient, const char* name, int dim, const std::vector<Index>& region,
                  Offset points);

/// Copies the values of one block; `first` counts the values of the blocks before it.
template <class Space>
CoefficientView place_vector(const Coefficient& coefficient, Offset points, Offset& first,
                             Array<double, Space>& there) {
  if (coefficient.values.empty()) return {};
  const Offset size = static_cast<Offset>(coefficient.values.size());
  const Offset count = coefficient.per_point ? points * coefficient.components : size;
  if (there.size() != count) there = Array<double, Space>(count);
  copy_bytes(Host{}, coefficient.values.data() + (coefficient.per_point ? first : 0), Space{}, there.data(),
             there.bytes());
  first += count;
  return {there.data(), coefficient.components, coefficient.per_point};
}

template <class Exec>
ConvectionAssembler<Exec>::ConvectionAssembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map,
                                               const ConvectionOptions& options)
    : exec_(exec), state_(std::make_unique<ConvectionState<Space>>()) {
  check_strategy(options);
  check_map(mesh, map);
  Stopwatch watch(exec);
  AssemblerState<Space>& cells = state_->cells;
  cells.mesh = &mesh;
  cells.map = &map;
  cells.strategy = Strategy::colour;
  cells.report.strategy = "colour";
  cells.report.why =
      options.strategy == "auto" ? "matrices that are not symmetric are added colour by colour" : "asked for";
  cells.coordinates = to_space<Space>(mesh.points);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    cells.blocks.push_back(make_block<Exec>(mesh.blocks[b], map.blocks[b], map, cells.coordinates));
    cells.report.elements += cells.blocks.back().cells;
    if (cells.blocks.back().cells > 0) order_block(exec, cells, b, host_threads(exec));
    const ConvectionTables tables = make_convection_tables(mesh.blocks[b], map.order, options.supg);
    ConvectionBlock<Space>& block = state_->blocks.emplace_back();
    block.basis = to_space<Space>(tables.basis);
    block.map_second = to_space<Space>(tables.map_second);
    ConvectionView& view = block.view;
    view.order = map.order;
    view.simplex_axes = tables.simplex_axes;
    view.supg = options.supg;
    view.width = tables.width;
    view.rows = tables.rows;
    view.basis = block.basis.data();
    view.map_second = tables.map_second.empty() ? nullptr : block.map_second.data();
  }
  cells.report.setup_bytes = kept_bytes(cells);
  cells.report.setup_seconds = watch.seconds();
}

template <class Exec>
ConvectionAssembler<Exec>::~ConvectionAssembler() = default;

template <class Exec>
const AssemblyReport& ConvectionAssembler<Exec>::report() const {
  return state_->cells.report;
}

template <class Exec>
linalg::Crs<typename Exec::Space> ConvectionAssembler<Exec>::make_matrix() {
  AssemblerState<Space>& cells = state_->cells;
  Stopwatch watch(exec_);
  linalg::Crs<Space> A = make_sparsity(exec_, *cells.map);
  set_zero(exec_, A.values.view());
  cells.report.sparsity_seconds = watch.seconds();
  if (!cells.has_slots) {
    make_lists(exec_, cells, A, host_threads(exec_));
    cells.has_slots = true;
    cells.report.setup_bytes = kept_bytes(cells);
    cells.report.setup_seconds += watch.seconds() - cells.report.sparsity_seconds;
  }
  return A;
}

template <class Exec>
void ConvectionAssembler<Exec>::set_data(const ConvectionData& data) {
  AssemblerState<Space>& cells = state_->cells;
  const DiffusionData& diffusion = data.diffusion;
  check_data(diffusion, cells.report.elements);
  Offset points = 0;
  for (const BlockData<Space>& block : cells.blocks) points += Offset{block.cells} * block.view.points;
  check_vector(data.velocity, "velocity", cells.mesh->dim, diffusion.region, points);
  check_vector(data.divergence, "divergence", cells.mesh->dim, diffusion.region, points);
  Offset first_k = 0, first_c = 0, first_f = 0, first_velocity = 0, first_divergence = 0;
  for (std::size_t b = 0; b < cells.blocks.size(); ++b) {
    BlockData<Space>& block = cells.blocks[b];
    ConvectionBlock<Space>& own = state_->blocks[b];
    place_regions(diffusion.region, cells.map->blocks[b], block);
    block.view.k = place_coefficient(diffusion.k, block, "k", first_k, block.k);
    block.view.c = place_coefficient(diffusion.c, block, "c", first_c, block.c);
    block.view.f = place_coefficient(diffusion.f, block, "f", first_f, block.f);
    const Offset of_block = Offset{block.cells} * block.view.points;
    own.view.velocity = place_vector(data.velocity, of_block, first_velocity, own.velocity);
    own.view.divergence = place_vector(data.divergence, of_block, first_divergence, own.divergence);
  }
}

template <class Exec>
void ConvectionAssembler<Exec>::refill(linalg::Crs<Space>& A, View<double> b) {
  const AssemblerState<Space>& cells = state_->cells;
  check_system(cells.map->dofs, A.rows, b.size(), cells.has_slots);
  const Target target{{A.row_ptr.data(), 1}, A.values.data(), b.data(), A.view()};
  set_zero(exec_, A.values.view());
  set_zero(exec_, b);
  for (std::size_t k = 0; k < cells.blocks.size(); ++k) {
    if (cells.blocks[k].cells == 0) continue;
    ConvectionView view = state_->blocks[k].view;
    view.block = cells.blocks[k].view;
    add_convection(exec_, cells.blocks[k], view, target);
  }
}

template <class Exec>
double ConvectionAssembler<Exec>::refill_bytes(const linalg::Crs<Space>& A) const {
  const AssemblerState<Space>& cells = state_->cells;
  double bytes =
      static_cast<double>(A.values.bytes()) + 8.0 * A.rows * 2 + static_cast<double>(cells.coordinates.bytes());
  for (std::size_t k = 0; k < cells.blocks.size(); ++k) {
    const auto& block = cells.blocks[k];
    const auto& own = state_->blocks[k];
    bytes += 4.0 * block.cells * (block.view.nodes + (block.geometry_is_dofs ? 0 : block.view.geometry_nodes)) +
             static_cast<double>(block.slots.bytes() + block.region.bytes() + block.k.bytes() + block.c.bytes() +
                                 block.f.bytes() + own.velocity.bytes() + own.divergence.bytes());
  }
  return bytes;
}

template <class Exec>
void ConvectionAssembler<Exec>::add_facets(const mesh::Group& group, std::span<const double> alpha,
                                           std::span<const double> g, linalg::Crs<Space>& A, View<double> b) {
  const AssemblerState<Space>& cells = state_->cells;
  assemble_facets(exec_, *cells.mesh, *cells.map, group, alpha, g, cells.coordinates,
                  Target{{A.row_ptr.data(), 1}, A.values.data(), b.data(), A.view()});
}

}  // namespace tessera::assembly
