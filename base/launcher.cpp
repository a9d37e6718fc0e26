#include "base/launcher.hpp"

#include <cstdlib>

namespace tessera {

std::optional<Launcher> launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (const char* const size = std::getenv(name)) return Launcher{name, std::atoi(size)};
  const char* const slurm = "SLURM_STEP_NUM_TASKS";
  const char* const tasks = std::getenv(slurm);
  if (!tasks || !std::getenv("SLURM_PROCID") || !std::getenv("PMIX_RANK")) return std::nullopt;
  return Launcher{slurm, std::atoi(tasks)};
}

}  // namespace tessera
