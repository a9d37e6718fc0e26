#pragma once
#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// The same cells with straight geometry of order 2: old nodes keep their numbers; then follow the midpoints of edges,
/// the centres of quad faces and of hexes, each shared by its cells. Facets and groups stay valid.
/// Throws Error(mesh) when nodes would pass 32-bit indices.
Mesh elevate(const Mesh& linear);

}  // namespace tessera::mesh
