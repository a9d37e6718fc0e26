#pragma once
// ConvectionAssembler, written once; its elements are the business of convection_threads.cpp and convection_elements.cuh.
#include "assembly/cells/place_fields_impl.hpp"
#include "assembly/convection/convection.hpp"

namespace tessera::assembly {

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
    : CellAssembler<Exec>(exec, mesh, map, options.supg ? Form::convection_supg : Form::convection, options.assembly) {}

template <class Exec>
void ConvectionAssembler<Exec>::set_data(const ConvectionData& data) {
  const DiffusionData& diffusion = data.diffusion;
  check_data(diffusion, state_->report.elements);
  Offset points = 0;
  for (const BlockData<Space>& block : state_->blocks) points += Offset{block.cells} * block.view.points;
  check_vector(data.velocity, "velocity", state_->mesh->dim, diffusion.region, points);
  check_vector(data.divergence, "divergence", state_->mesh->dim, diffusion.region, points);
  Offset first_k = 0, first_c = 0, first_f = 0, first_velocity = 0, first_divergence = 0;
  for (std::size_t b = 0; b < state_->blocks.size(); ++b) {
    BlockData<Space>& block = state_->blocks[b];
    place_regions(diffusion.region, state_->map->blocks[b], block);
    block.view.k = place_coefficient(diffusion.k, block, "k", first_k, block.k);
    block.view.c = place_coefficient(diffusion.c, block, "c", first_c, block.c);
    block.view.f = place_coefficient(diffusion.f, block, "f", first_f, block.f);
    const Offset of_block = Offset{block.cells} * block.view.points;
    ConvectionView& view = block.view.convection;
    view.velocity = place_vector(data.velocity, of_block, first_velocity, block.velocity);
    view.divergence = place_vector(data.divergence, of_block, first_divergence, block.divergence);
  }
}

}  // namespace tessera::assembly
