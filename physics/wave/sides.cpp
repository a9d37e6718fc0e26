#include "physics/wave/sides.hpp"

#include "physics/groups.hpp"

namespace tessera::physics::wave {

mesh::Group sides_of(const mesh::Mesh& mesh, const BoundaryParams& boundary) {
  int dim = mesh.dim - 1;
  while (dim >= 0 && !boundary.on.empty() && !mesh.group(boundary.on.front(), dim)) --dim;
  return united_groups(mesh, boundary.on, dim, boundary.where);
}

}  // namespace tessera::physics::wave
