#pragma once
#include "physics/sections.hpp"

namespace tessera::physics::scalar {

/// Throws Error(usage) where a lumped mass of this order has rows without any on this mesh: row sums of the mass matrix
/// are the weights of a quadrature at the nodes, which are not positive on simplices of higher order.
void check_lumped(const PhysicsParams& physics, bool lumped, const mesh::Mesh& mesh);

}  // namespace tessera::physics::scalar
