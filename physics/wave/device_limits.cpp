#include "physics/wave/device_limits.hpp"

#include "assembly/spectral/patch_memory.hpp"

namespace tessera::physics::wave {

void check_shared_memory(const Problem& problem, std::size_t most) {
  // Those that attenuate take what every GPU has, and in patches the part of a stiffness that damps by Rayleigh's beta.
  if (problem.media.attenuated.components > 0 && problem.media.beta.components == 0) return;
  const std::size_t number = problem.params.run.precision == "float" ? sizeof(float) : sizeof(double);
  assembly::spectral::check_patch_memory(problem.cells.dim, problem.cells.n, problem.components(), number, most);
}

}  // namespace tessera::physics::wave
