#pragma once
#include <memory>

#include "physics/module.hpp"

namespace tessera::physics {

/// Waves in fluids and solids, by spectral elements.
std::unique_ptr<Module> make_wave();

}  // namespace tessera::physics
