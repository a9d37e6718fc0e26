#pragma once
#include "physics/elasticity/problem.hpp"

namespace tessera::physics::elasticity {

/// Assembles on the backend, or makes an operator without a matrix, with loads, springs and displacements; says in the
/// summary which strategy was taken and why. Phases: assemble.setup, coefficients, assemble, boundary.
template <class Exec>
void make_system(Exec& exec, const Problem& problem, System<Exec>& system, output::Summary& summary);

}  // namespace tessera::physics::elasticity
