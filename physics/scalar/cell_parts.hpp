#pragma once
// Cells of a solution part by part, where threads evaluate coefficients at points.
#include <algorithm>
#include <span>
#include <vector>

#include "assembly/space/mesh_part.hpp"
#include "physics/scalar/solution.hpp"

namespace tessera::physics::scalar {

/// Cells whose coefficients each thread has in memory at a time.
inline constexpr Offset cells_of_a_part = 1 << 14;
/// Fewer where there would not be so many parts, for threads to share; but each part makes the tables of its elements.
inline constexpr Offset parts_wanted = 256, least_cells_of_a_part = 256;

/// Of so many cells each thread has so many in memory at a time.
inline Offset cells_in_part(Offset cells) {
  return std::clamp(cells / parts_wanted, least_cells_of_a_part, cells_of_a_part);
}

/// Calls visit(part, material of its cells) for cells.
template <class Visit>
void visit_part(const Solution& s, std::span<const Index> cells, Visit visit) {
  std::vector<Index> material(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) material[i] = s.material[cells[i]];
  visit(assembly::part_of(s.mesh, s.space.dofs, cells), material);
}

}  // namespace tessera::physics::scalar
