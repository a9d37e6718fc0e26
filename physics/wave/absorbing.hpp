#pragma once
#include <vector>

#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// Facets of absorbing entries, each once. They must be sides of the mesh: inside it there is nothing behind them.
std::vector<assembly::spectral::CellSide> absorbing_sides(const Problem& problem);

}  // namespace tessera::physics::wave
