#pragma once
#include <memory>

#include "physics/module.hpp"

namespace tessera::physics {

/// du/dt = div(D grad u) + R(u), several fields that diffuse each for itself and react at every point: steps in time
/// are split into both parts.
std::unique_ptr<Module> make_reaction_diffusion();

}  // namespace tessera::physics
