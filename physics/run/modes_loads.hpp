#pragma once
// What `tessera check` says of loads beside modes, before anything is assembled.
#include <span>
#include <vector>

#include "physics/model.hpp"

namespace tessera::physics {

/// Warns where the deck asks for modes and one of the loads, or a prescribed value, is not zero.
void warn_of_loads(const solvers::SolverParams& solver, const DirichletData& dirichlet,
                   const std::vector<std::span<const double>>& loads);

}  // namespace tessera::physics
