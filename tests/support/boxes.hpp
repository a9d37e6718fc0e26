#pragma once
#include <string>

#include "mesh/box.hpp"
#include "mesh/mesh.hpp"
#include "mesh/params.hpp"

namespace tessera::testing {

/// The unit box of a shape with a few cells per axis; 3-D unless the shape is flat.
inline mesh::Mesh box(const std::string& shape, int cells, int order = 1) {
  const auto dim = static_cast<std::size_t>(mesh::dimension(mesh::shape_from_name(shape)));
  mesh::BoxParams params;
  params.shape = shape;
  params.cells.assign(dim, cells);
  params.min.assign(dim, 0.0);
  params.max.assign(dim, 1.0);
  return mesh::make_box(params, order);
}

}  // namespace tessera::testing
