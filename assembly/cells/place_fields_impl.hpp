#pragma once
// Coefficients on the backend, in the order of the places.
#include "assembly/cells/data.hpp"

namespace tessera::assembly {

/// Copies a coefficient's values of one block; `first` counts the values of the blocks before it.
template <class Space>
CoefficientView place_coefficient(const Coefficient& coefficient, const BlockData<Space>& block, const char* name,
                                  Offset& first, Array<double, Space>& there) {
  if (coefficient.values.empty()) return {};
  const View<const double> values =
      block_values(coefficient, block.dim, Offset{block.cells} * block.view.points, name, first);
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

}  // namespace tessera::assembly
