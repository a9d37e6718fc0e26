#include "assembly/space/estimated_entries.hpp"

#include <algorithm>
#include <vector>

namespace tessera::assembly {

double estimated_entries(const DofMap& dofs) {
  constexpr Index samples = 512;
  const Index step = std::max<Index>(1, dofs.dofs / samples);
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(dofs.dofs / step) + 1);
  for (const DofBlock& block : dofs.blocks)
    for (Index cell = 0; cell < block.cells(); ++cell)
      for (int i = 0; i < block.nodes; ++i)
        if (block.cell(cell)[i] % step == 0) {
          std::vector<Index>& row = rows[block.cell(cell)[i] / step];
          row.insert(row.end(), block.cell(cell), block.cell(cell) + block.nodes);
        }
  double total = 0, count = 0;
  for (std::vector<Index>& row : rows) {
    std::sort(row.begin(), row.end());
    total += static_cast<double>(std::unique(row.begin(), row.end()) - row.begin());
    count += row.empty() ? 0 : 1;
  }
  return count > 0 ? total / count * dofs.dofs : 0;
}

}  // namespace tessera::assembly
