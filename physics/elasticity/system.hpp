#pragma once
#include "physics/elasticity/problem.hpp"

namespace tessera::physics::elasticity {

/// Assembles on the backend, with loads, springs and displacements. Phases: assemble.setup, coefficients, assemble, boundary.
template <class Exec>
void make_system(Exec& exec, const Problem& problem, System<Exec>& system, output::Summary& summary);

}  // namespace tessera::physics::elasticity
