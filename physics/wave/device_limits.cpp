#include "physics/wave/device_limits.hpp"

#include "assembly/spectral/patch_memory.hpp"
#include "physics/wave/coarse_memory.hpp"

namespace tessera::physics::wave {

void check_shared_memory(const Problem& problem, std::size_t most) {
  const std::size_t number = problem.params.run.precision == "float" ? sizeof(float) : sizeof(double);
  assembly::spectral::check_patch_memory(problem.cells.dim, problem.cells.n, problem.components(), number, most,
                                         problem.media.coarse ? CoarseNumbers(problem).slots() : 0);
}

}  // namespace tessera::physics::wave
