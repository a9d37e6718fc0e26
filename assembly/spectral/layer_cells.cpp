#include "assembly/spectral/layer_cells.hpp"

#include <algorithm>

namespace tessera::assembly::spectral {

bool Layers::has(Index dof, int dim) const {
  const double* const d = &damping[static_cast<std::size_t>(Offset{dof} * dim)];
  return std::any_of(d, d + dim, [](double value) { return value > 0; });
}

namespace {

void append(const Cells& cells, const Coefficients& material, Index cell, OrderedCells& to) {
  to.number.push_back(cell);
  ++to.cells.cells;
  to.cells.dofs.insert(to.cells.dofs.end(), cells.cell(cell), cells.cell(cell) + cells.places);
  const std::size_t numbers =
      static_cast<std::size_t>(material.components) * (material.at_places ? static_cast<std::size_t>(cells.places) : 1);
  const auto first = material.values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(cell) * numbers);
  to.material.values.insert(to.material.values.end(), first, first + static_cast<std::ptrdiff_t>(numbers));
}

}  // namespace

OrderedCells order_by_layers(const mesh::Mesh& mesh, const Cells& cells, const Coefficients& material,
                             const Layers& layers, Index owned, std::span<const Index> held) {
  OrderedCells result{.mesh = {},
                      .cells = {cells.dim, cells.n, cells.places, 0, {}},
                      .material = {material.components, material.at_places, {}},
                      .number = {},
                      .axes = {},
                      .nodes = {},
                      .held = {held.begin(), held.end()}};
  result.mesh.dim = mesh.dim;
  result.mesh.order = mesh.order;
  result.mesh.points = mesh.points;
  for (const mesh::CellBlock& block : mesh.blocks)
    for (unsigned axes = 0; axes < 1U << cells.dim; ++axes) {
      mesh::CellBlock own{block.shape, block.order, block.nodes_per_cell, {}, result.cells.cells};
      for (Index c = 0; c < block.cells(); ++c) {
        const Index cell = block.first_cell + c;
        if (layers.axes[static_cast<std::size_t>(cell)] != axes) continue;
        own.nodes.insert(own.nodes.end(), block.cell(c), block.cell(c) + block.nodes_per_cell);
        append(cells, material, cell, result);
      }
      if (own.cells() == 0) continue;
      result.mesh.blocks.push_back(std::move(own));
      result.axes.push_back(static_cast<unsigned char>(axes));
    }
  const auto nodes = static_cast<Index>(layers.damping.size() / static_cast<std::size_t>(cells.dim));
  for (Index dof = 0; dof < std::min(owned, nodes); ++dof)
    if (layers.has(dof, cells.dim) && !std::binary_search(held.begin(), held.end(), dof)) result.nodes.push_back(dof);
  result.held.insert(result.held.end(), result.nodes.begin(), result.nodes.end());
  std::sort(result.held.begin(), result.held.end());
  return result;
}

}  // namespace tessera::assembly::spectral
