#include "assembly/space/first_cells.hpp"

#include <limits>

#include "base/atomic_min.hpp"
#include "base/team.hpp"
#include "base/touch.hpp"

namespace tessera::assembly {

std::vector<Index> first_cells(const DofMap& dofs) {
  const int threads = default_threads();
  std::vector<Index> result;
  resize_by_all(result, static_cast<std::size_t>(dofs.dofs), threads);
  parallel_for(threads, dofs.dofs,
               [&](Offset dof) { result[static_cast<std::size_t>(dof)] = std::numeric_limits<Index>::max(); });
  for (const DofBlock& block : dofs.blocks)
    parallel_for(threads, block.cells(), [&](Offset c) {
      const Index* const cell = block.cell(static_cast<Index>(c));
      for (int node = 0; node < block.nodes; ++node)
        lower_to(result[static_cast<std::size_t>(cell[node])], block.first_cell + static_cast<Index>(c));
    });
  return result;
}

}  // namespace tessera::assembly
