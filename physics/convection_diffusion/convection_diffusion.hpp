#pragma once
#include <memory>

#include "physics/module.hpp"

namespace tessera::physics {

/// -div(k grad u) + v . grad u + c u = f by finite elements (galerkin, supg) on any mesh, or by central differences on
/// a rectangle; docs/methods/convection_diffusion.md.
std::unique_ptr<Module> make_convection_diffusion();

}  // namespace tessera::physics
