#pragma once
#include "mesh/mesh.hpp"
#include "physics/wave/params.hpp"

namespace tessera::physics::wave {

/// What a [[boundary]] stands on, each once: facets, curves or points. Cells where only these have its name. Throws as
/// united_groups.
mesh::Group sides_of(const mesh::Mesh& mesh, const BoundaryParams& boundary);

}  // namespace tessera::physics::wave
