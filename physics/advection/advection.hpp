#pragma once
#include <memory>

#include "physics/module.hpp"

namespace tessera::physics {

/// "advection": du/dt + div(v(x, t) u + f(u)) = 0 by group finite elements with convex limiting. The smallest module
/// of those that stand on physics/conservation/.
std::unique_ptr<Module> make_advection();

}  // namespace tessera::physics
