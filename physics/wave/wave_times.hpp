#pragma once
// What a mesh sees of the functions of plane waves.
#include <vector>

#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// Between which times its cells see the function of a plane wave.
struct TimesOfWave {
  double first, last;
};
/// Of each plane wave that is f(t - n.(x - x0) / c) at the nodes of its cells, as far as this rank sees them. There are
/// none (first > last) where it has no cells here, and where plane_waves_at throws.
std::vector<TimesOfWave> times_of_plane_waves(const Problem& problem, double t);

}  // namespace tessera::physics::wave
