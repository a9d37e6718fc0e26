#include "assembly/spectral/operator_bytes.hpp"

#include <algorithm>

#include "assembly/spectral/view.hpp"

namespace tessera::assembly::spectral {

namespace {

/// What the passes over cells and nodes share.
struct Lists {
  double entries = 0;  ///< of the element vector
  double nodes = 0;    ///< that add up entries
  double patches = 0;  ///< bytes
};

Lists lists_of_patches(const mesh::Mesh& mesh, const Cells& cells, Index dofs, const PatchLayout& layout) {
  const PatchNodes of_dofs = patch_nodes(cells, dofs, {});
  std::vector<char> adds_up(static_cast<std::size_t>(dofs), 0);
  Lists lists;
  for (const mesh::CellBlock& block : mesh.blocks) {
    const std::vector<Index> order = order_in_patches(block, cells.n, layout.cells);
    const HostPatches patches =
        make_patches(in_order(cells.of_block(block), block.cells(), order), cells.places, layout, dofs, of_dofs);
    for (const Index dof : patches.outer) adds_up[static_cast<std::size_t>(dof)] = 1;
    lists.entries += static_cast<double>(patches.outer.size());
    lists.patches += static_cast<double>(sizeof(Patch) * patches.patches.size() + sizeof(Index) * patches.words.size());
  }
  lists.nodes = static_cast<double>(std::count(adds_up.begin(), adds_up.end(), 1));
  return lists;
}

}  // namespace

OperatorBytes operator_bytes(const mesh::Mesh& mesh, const Cells& cells, const Coefficients& material, int components,
                             std::size_t number, const PatchLayout& layout) {
  const double entries = 1.0 * cells.cells * cells.places;
  const Index last = cells.dofs.empty() ? -1 : *std::max_element(cells.dofs.begin(), cells.dofs.end());
  const double nodes = 1.0 + last;
  double geometry = 0, most_geometry = 0, in_lanes = 0;  // cells, with those that fill the lanes of their last batch
  const auto lanes = static_cast<Index>(layout.lanes);
  for (const mesh::CellBlock& block : mesh.blocks) {
    const int stored = (cells.dim * cells.dim + 1) * cells.places, map = cells.dim * ((1 << cells.dim) - 1);
    const double of_lanes = 1.0 * ((block.cells() + lanes - 1) / lanes * lanes);
    const double of_block = of_lanes * (block.order > 1 ? stored : map);
    in_lanes += of_lanes;
    geometry += of_block;
    most_geometry = std::max(most_geometry, of_block);
  }
  const auto T = static_cast<double>(number);
  const double coefficients = in_lanes * material.components * (material.at_places ? cells.places : 1);
  OperatorBytes bytes;
  const Lists of = layout.cells > 0 ? lists_of_patches(mesh, cells, last + 1, layout) : Lists{entries, nodes, 0};
  // Dofs of cells, lists of the entries of each node, the element vector.
  bytes.kept = 4 * in_lanes * cells.places + 4 * (of.entries + of.nodes) + of.patches +
               T * (geometry + coefficients + of.entries * entry_size(components));
  // The list of all nodes and its copies by length beside numbers of nodes; before, numbers on their way.
  const double lists = 4 * (entries + nodes) + 8 * nodes + 4 * entries;
  bytes.set_up = std::max(lists, std::max((sizeof(double) + T) * most_geometry, T * coefficients) - T * entries);
  return bytes;
}

}  // namespace tessera::assembly::spectral
