#pragma once
#include <string>

#include "assembly/support.hpp"

namespace tessera::testing {

/// A mesh of one cell, the reference cell moved off the origin.
inline mesh::Mesh one_cell(const std::string& name) {
  const mesh::Shape shape = mesh::shape_from_name(name);
  const int dim = mesh::dimension(shape), n = mesh::vertex_count(shape);
  mesh::Mesh mesh;
  mesh.dim = dim;
  const std::span<const double> nodes = mesh::reference_nodes(shape, 1);
  mesh::CellBlock block{shape, 1, n, {}, 0};
  for (int v = 0; v < n; ++v) {
    for (int d = 0; d < 3; ++d) mesh.points.push_back(d < dim ? 0.3 * d + nodes[v * dim + d] * (1 + 0.1 * v) : 0.0);
    block.nodes.push_back(v);
  }
  mesh.blocks = {block};
  return mesh;
}

/// A box of any shape; prisms from a stack of the triangles of a square.
inline mesh::Mesh prism_or_box(const std::string& shape, int cells) {
  if (shape != "prism") return box(shape, cells);
  const mesh::Mesh flat = box("triangle", cells);
  mesh::Mesh mesh;
  mesh.dim = 3;
  for (int layer = 0; layer <= cells; ++layer)
    for (Index node = 0; node < flat.nodes(); ++node)
      mesh.points.insert(mesh.points.end(),
                         {flat.point(node)[0], flat.point(node)[1], static_cast<double>(layer) / cells});
  mesh::CellBlock block{mesh::Shape::prism, 1, 6, {}, 0};
  for (int layer = 0; layer < cells; ++layer)
    for (Index cell = 0; cell < flat.cells(); ++cell)
      for (int top = 0; top < 2; ++top)
        for (int v = 0; v < 3; ++v) block.nodes.push_back(flat.blocks[0].cell(cell)[v] + (layer + top) * flat.nodes());
  mesh.blocks = {block};
  return mesh;
}

}  // namespace tessera::testing
