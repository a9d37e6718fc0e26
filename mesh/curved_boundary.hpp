#pragma once
#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// A group of exterior facets that looks like a polygon in a curve or a smooth surface: many neighbouring facets of it
/// meet at small angles. nullptr where there is none, or the mesh is of order 2 and follows the curve itself.
const Group* group_that_curves(const Mesh& mesh);

}  // namespace tessera::mesh
