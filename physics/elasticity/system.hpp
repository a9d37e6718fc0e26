#pragma once
#include "physics/elasticity/problem.hpp"

namespace tessera::physics::elasticity {

/// Whether the operator is applied without a matrix, and why.
struct Plan {
  bool matrix_free = false;
  std::string why;
};
/// Throws Error(usage) where strategy, format, solver and order do not go together.
Plan plan(const Problem& problem);

/// Assembles on the backend, or makes an operator without a matrix, with loads, springs and displacements; says in the
/// summary which strategy was taken and why. Phases: assemble.setup, coefficients, assemble, boundary.
template <class Exec>
void make_system(Exec& exec, const Problem& problem, System<Exec>& system, output::Summary& summary);

}  // namespace tessera::physics::elasticity
