#pragma once
// The method of manufactured solutions: sources of which a known function is the solution.
#include "physics/scalar/params.hpp"

namespace tessera::physics::scalar {

/// Sets the source of every material to -div(k grad u) + v . grad u + c u with the u of [exact], where that asks for
/// it; coefficients that depend on the solution take it, too. `velocity`: of each material, one component an axis;
/// empty: 0. Throws Error(usage) where a material has a source of its own.
void derive_sources(Params& params, const std::vector<std::vector<deck::Expression>>& velocity);

}  // namespace tessera::physics::scalar
