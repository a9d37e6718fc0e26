#include "assembly/space/mesh_part.hpp"

namespace tessera::assembly {

MeshPart part_of(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const Index> cells) {
  MeshPart part;
  part.mesh.dim = mesh.dim;
  part.mesh.order = mesh.order;
  part.mesh.measure = mesh.measure;
  part.dofs.order = dofs.order;
  part.dofs.dofs = dofs.dofs;
  std::size_t at = 0;
  Index first_cell = 0;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& from = mesh.blocks[b];
    const DofBlock& from_dofs = dofs.blocks[b];
    mesh::CellBlock block{from.shape, from.order, from.nodes_per_cell, {}, first_cell};
    DofBlock of_dofs{from_dofs.shape, from_dofs.geometry_order, from_dofs.nodes, {}, first_cell};
    for (; at < cells.size() && cells[at] < from.first_cell + from.cells(); ++at) {
      const Index local = cells[at] - from.first_cell;
      for (int n = 0; n < from.nodes_per_cell; ++n) {
        const double* x = mesh.point(from.cell(local)[n]);
        block.nodes.push_back(part.mesh.nodes());
        part.mesh.points.insert(part.mesh.points.end(), x, x + 3);
      }
      of_dofs.dofs.insert(of_dofs.dofs.end(), from_dofs.cell(local), from_dofs.cell(local) + from_dofs.nodes);
    }
    first_cell += block.cells();
    part.mesh.blocks.push_back(std::move(block));
    part.dofs.blocks.push_back(std::move(of_dofs));
  }
  return part;
}

}  // namespace tessera::assembly
