#pragma once
// Derivatives of displacements at the nodes.
#include <span>
#include <vector>

#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// div x of x [dofs of the space, dim] of an elastic medium: at each node [dofs] the mean of its cells, by their
/// volumes; 0 at nodes that the medium has not got.
std::vector<double> divergence(const Problem& problem, std::span<const double> x);
/// curl x as divergence, [dofs, 3]; on a mesh in the plane its third component alone is not 0.
std::vector<double> curl(const Problem& problem, std::span<const double> x);

}  // namespace tessera::physics::wave
