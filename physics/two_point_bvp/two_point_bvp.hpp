#pragma once
#include <memory>

#include "physics/module.hpp"

namespace tessera::physics {

/// -u'' = f on an interval (a, b), u'(a) = 0, u(b) = 0, by finite differences and direct methods made for its matrix;
/// docs/methods/two_point_bvp.md.
std::unique_ptr<Module> make_two_point_bvp();

}  // namespace tessera::physics
