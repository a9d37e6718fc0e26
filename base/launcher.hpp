#pragma once
#include <optional>

namespace tessera {

/// What a launcher of ranks leaves in the environment of those that it starts.
struct Launcher {
  const char* variable;  ///< that says how many there are
  int ranks;
};
/// The one that has started this process, be it as the only rank: OpenMPI, MPICH and Intel MPI (Hydra), or Slurm's srun
/// with PMI, whose tasks are no ranks without it.
std::optional<Launcher> launcher();

}  // namespace tessera
