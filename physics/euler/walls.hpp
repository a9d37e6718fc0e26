#pragma once
// Normals of walls at the nodes of a mesh.
#include <array>
#include <span>
#include <vector>

#include "assembly/edge/boundary_normals.hpp"
#include "physics/model.hpp"

namespace tessera::physics::euler {

/// Orthonormal normals of the walls at a node, at most one an axis; `facets`: all facets of walls at the node. Facets
/// of one wall give one normal together, in whatever order they are numbered: those whose normals are within 45
/// degrees, and those that meet at an edge that stands out into the gas; where that is sharper than 60 degrees the
/// difference of both sides is the normal (of three walls with two such edges that of one pair, which the numbering
/// chooses). Where gas lies in a corner between walls it keeps those of all.
std::vector<std::array<double, 3>> wall_normals(const Discretisation& space,
                                                std::span<const assembly::FacetNormal> facets);

}  // namespace tessera::physics::euler
