#pragma once
#include <memory>

#include "physics/module.hpp"

namespace tessera::physics {

/// The smallest whole module, to copy: the L2 projection u = f, assembled as a reaction term and solved.
/// A new module is a copy of this folder, a line in the table of registry.cpp, a deck and a test.
std::unique_ptr<Module> make_skeleton();

}  // namespace tessera::physics
