#include "assembly/space/mesh_part.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::assembly {

MeshPart part_of(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const Index> cells) {
  MeshPart part;
  part.mesh.dim = mesh.dim;
  part.mesh.order = mesh.order;
  part.mesh.measure = mesh.measure;
  part.dofs.order = dofs.order;
  part.dofs.nodes = dofs.nodes;
  part.dofs.dofs = dofs.dofs;
  std::size_t at = 0;
  Index first_cell = 0;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& from = mesh.blocks[b];
    const DofBlock& from_dofs = dofs.blocks[b];
    mesh::CellBlock block{from.shape, from.order, from.nodes_per_cell, {}, first_cell};
    const std::size_t first = at;
    while (at < cells.size() && cells[at] < from.first_cell + from.cells()) ++at;
    const std::size_t count = at - first;
    const auto width = static_cast<std::size_t>(from.nodes_per_cell),
               of_cell = static_cast<std::size_t>(from_dofs.nodes);
    const Index nodes_before = part.mesh.nodes();
    block.nodes.resize(count * width);
    std::iota(block.nodes.begin(), block.nodes.end(), nodes_before);
    part.mesh.points.resize(part.mesh.points.size() + 3 * count * width);
    std::vector<Index> of_cells(count * of_cell);
    double* x = part.mesh.points.data() + 3 * static_cast<std::size_t>(nodes_before);
    for (std::size_t i = 0; i < count; ++i) {
      const Index local = cells[first + i] - from.first_cell;
      for (std::size_t n = 0; n < width; ++n, x += 3) std::copy_n(mesh.point(from.cell(local)[n]), 3, x);
      std::copy_n(from_dofs.cell(local), of_cell, of_cells.data() + i * of_cell);
    }
    part.dofs.blocks.push_back(
        {from_dofs.shape, from_dofs.geometry_order, from_dofs.nodes, CellDofs(std::move(of_cells)), first_cell});
    first_cell += block.cells();
    part.mesh.blocks.push_back(std::move(block));
  }
  return part;
}

}  // namespace tessera::assembly
