#pragma once
// on = "rest": what no other entry of the deck names.
#include "mesh/mesh.hpp"
#include "physics/scalar/params.hpp"

namespace tessera::physics::scalar {

/// Adds what the deck calls "rest" to mesh.entities. In a [[boundary]] it is the exterior facets, in a [[material]] the cells,
/// that no other entry of the kind names (`periodic`: entries that have been taken out of params.boundaries); in a [[quantity]] it is the boundary's, or the materials' where only they use it. A
/// group of the mesh with that name comes first, with a warning; a rest of nothing is a warning, too.
/// Throws Error(usage) where a material without `on` stands beside a rest.
void add_rest(const Params& params, const std::vector<BoundaryParams>& periodic, mesh::Mesh& mesh);

/// The deck for a box that is no mesh: "rest" becomes the names of sides, or "domain".
Params with_rest_named(Params params);

}  // namespace tessera::physics::scalar
