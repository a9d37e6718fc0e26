#pragma once
#include <memory>

#include "physics/module.hpp"

namespace tessera::physics {

/// Linear elasticity: -div sigma = f, sigma = D (eps(u) - eps_0), of bars, planes, bodies of revolution and solids.
std::unique_ptr<Module> make_elasticity();

}  // namespace tessera::physics
