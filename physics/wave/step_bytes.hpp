#pragma once
// What `tessera check` says of the memory of waves.
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// Of one medium, by the scheme of [time].
StepBytes step_bytes(const Problem& problem);

}  // namespace tessera::physics::wave
