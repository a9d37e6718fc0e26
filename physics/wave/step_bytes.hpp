#pragma once
// What `tessera check` says of the memory of waves.
#include "assembly/spectral/layer_cells.hpp"
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// Of one medium, by the scheme of [time], with its layers or none.
StepBytes step_bytes(const Problem& problem, const assembly::spectral::Layers* layers);

}  // namespace tessera::physics::wave
