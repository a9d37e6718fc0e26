#pragma once
#include <memory>

#include "physics/module.hpp"

namespace tessera::physics {

/// rho c (du/dt + v . grad u) = div(k grad u) + f: heat in bodies, through time or in its steady state.
std::unique_ptr<Module> make_heat();

}  // namespace tessera::physics
