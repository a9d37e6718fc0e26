#include "assembly/spectral/operator_bytes.hpp"

#include <algorithm>

#include "assembly/spectral/view.hpp"

namespace tessera::assembly::spectral {

OperatorBytes operator_bytes(const mesh::Mesh& mesh, const Cells& cells, const Coefficients& material, int components,
                             std::size_t number) {
  const double entries = 1.0 * cells.cells * cells.places;
  const Index last = cells.dofs.empty() ? -1 : *std::max_element(cells.dofs.begin(), cells.dofs.end());
  const double nodes = 1.0 + last;
  double geometry = 0, most_geometry = 0;
  for (const mesh::CellBlock& block : mesh.blocks) {
    const int stored = (cells.dim * cells.dim + 1) * cells.places, map = cells.dim * ((1 << cells.dim) - 1);
    const double of_block = 1.0 * block.cells() * (block.order > 1 ? stored : map);
    geometry += of_block;
    most_geometry = std::max(most_geometry, of_block);
  }
  const auto T = static_cast<double>(number);
  const auto coefficients = static_cast<double>(material.values.size());
  OperatorBytes bytes;
  // Dofs of cells, lists of the entries of each node, the element vector.
  bytes.kept = 8 * entries + 4 * nodes + T * (geometry + coefficients + entries * entry_size(components));
  // The list of all nodes and its copies by length beside numbers of nodes; before, numbers on their way.
  const double lists = 4 * (entries + nodes) + 8 * nodes + 4 * entries;
  bytes.set_up = std::max(lists, std::max((sizeof(double) + T) * most_geometry, T * coefficients) - T * entries);
  return bytes;
}

}  // namespace tessera::assembly::spectral
