#include "physics/scalar/lumped.hpp"

#include <fmt/format.h>

namespace tessera::physics::scalar {

void check_lumped(const PhysicsParams& physics, bool lumped, const mesh::Mesh& mesh) {
  if (!lumped || physics.order == 1) return;
  for (const mesh::CellBlock& block : mesh.blocks)
    if (block.shape != mesh::Shape::interval && block.shape != mesh::Shape::quad && block.shape != mesh::Shape::hex)
      throw Error(ExitCode::usage,
                  fmt::format("the mass of order {} is not lumped on a {}: some rows have none", physics.order,
                              mesh::name(block.shape)),
                  "choose mass = \"consistent\", or order = 1", physics.where);
}

}  // namespace tessera::physics::scalar
