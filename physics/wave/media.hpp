#pragma once
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// The medium of each node of each cell, or of each cell where no material varies. Throws Error(usage) at the material
/// where a number is one that no medium has: a density or a speed that is not positive, vp below sqrt(4/3) vs,
/// Poisson's ratio outside (-1, 0.5).
Media make_media(const Problem& problem);

}  // namespace tessera::physics::wave
