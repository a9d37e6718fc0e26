#pragma once
#include <memory>

#include "physics/module.hpp"

namespace tessera::physics {

/// -div(k grad u) + c u = f with k a scalar or a symmetric tensor; Dirichlet, Neumann and Robin boundaries.
/// Lagrange elements of order 1 to 4; docs/methods/poisson.md.
std::unique_ptr<Module> make_poisson();

}  // namespace tessera::physics
