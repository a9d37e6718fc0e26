#pragma once
// Perfectly matched layers that grow out of the mesh.
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// The group of the cells that have grown.
inline constexpr const char* grown_cells = "grown";

/// Lets the layers of [[boundary]] type = "pml" with grow = true grow out of the mesh, and numbers it again as the deck
/// says. Throws Error(usage) at their places for sides without facets or that absorb as well, and what mesh::grow
/// throws.
void grow_layers(const Params& params, mesh::Mesh& mesh);

/// [dofs, 3] Problem::material_points of a mesh of which layers have grown; empty: none have.
std::vector<double> grown_from(const Params& params, const Discretisation& space);

}  // namespace tessera::physics::wave
