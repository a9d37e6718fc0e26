#pragma once
#include <span>
#include <vector>

#include "assembly/space/dof_map.hpp"

namespace tessera::assembly {

/// A symmetric tensor that is a constant of each region, as HostTensorField has it.
struct RegionTensors {
  int components = 1;
  std::vector<double> values;          ///< [regions, components]
  std::span<const Index> region = {};  ///< [cells], borrowed; empty: all in region 0
};

/// Whether all cells are straight simplices and the field is of order 1: its gradient is then constant in a cell.
bool are_linear_simplices(const mesh::Mesh& mesh, const DofMap& dofs);

/// flux_field of those in one pass, into `memory` where that has its length. A thread makes the nodes of a range, of
/// the cells that touch it, in their order: nothing of the cells is kept, and a cell is computed once for each range
/// that it touches. Does not depend on the number of threads.
std::vector<double> flux_in_simplices(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const double> u,
                                      const RegionTensors& k, int threads = 0, std::vector<double> memory = {});

}  // namespace tessera::assembly
