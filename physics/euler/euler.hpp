#pragma once
#include <memory>

#include "physics/module.hpp"

namespace tessera::physics {

/// Compressible gases without friction, by group finite elements with convex limiting.
std::unique_ptr<Module> make_euler();

}  // namespace tessera::physics
