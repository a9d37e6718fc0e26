#pragma once
#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// The same mesh. All threads bring in the pages of its points and nodes, on which one spends more than on the copying.
Mesh copy(const Mesh& mesh, int threads);

}  // namespace tessera::mesh
