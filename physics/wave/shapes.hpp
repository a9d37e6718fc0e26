#pragma once
// Which cells spectral elements are made on.
#include "mesh/mesh.hpp"
#include "physics/wave/params.hpp"

namespace tessera::physics::wave {

/// Throws Error(usage) with the place of the first cell that is neither a quad nor a hex.
void require_quads_or_hexes(const Params& params, const mesh::Mesh& mesh);

}  // namespace tessera::physics::wave
