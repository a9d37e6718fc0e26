#include "base/communicator.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "base/mpi/entry.hpp"

namespace tessera {

Communicator& alone() {
  static Communicator one;
  return one;
}

bool is_launched_as_rank() {
  // OpenMPI, MPICH and Intel MPI (Hydra), Slurm's srun with PMI. A launch of one rank needs no MPI.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (const char* const size = std::getenv(name)) return std::atoi(size) > 1;
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return tasks && std::atoi(tasks) > 1 && std::getenv("SLURM_PROCID") != nullptr && std::getenv("PMIX_RANK") != nullptr;
}

std::unique_ptr<Communicator> start_mpi() {
  const char* const named = std::getenv("TESSERA_MPI");
  std::error_code none;
  const std::string file =
      named && *named ? named
                      : (std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / mpi_library).string();
  const char* const help =
      "install OpenMPI and build again (scripts/setup does both), name the library in TESSERA_MPI, or run on one rank, "
      "without mpirun";
  // Its symbols are for all: OpenMPI loads parts of its own that look for them.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    throw Error(ExitCode::usage, fmt::format("this is one of several ranks, but MPI cannot be loaded ({})", dlerror()),
                help);
  const auto start = reinterpret_cast<Communicator* (*)()>(dlsym(library, mpi_entry));
  if (!start) throw Error(ExitCode::usage, fmt::format("{} has no {}", file, mpi_entry), help);
  return std::unique_ptr<Communicator>(start());
}

std::int64_t sum(Communicator& ranks, std::int64_t mine) {
  std::int64_t result = 0;
  for (const std::int64_t part : gathered(ranks, mine)) result += part;
  return result;
}
double minimum(Communicator& ranks, double mine) {
  const std::vector<double> all = gathered(ranks, mine);
  return *std::min_element(all.begin(), all.end());
}
double maximum(Communicator& ranks, double mine) {
  const std::vector<double> all = gathered(ranks, mine);
  return *std::max_element(all.begin(), all.end());
}
bool any(Communicator& ranks, bool mine) {
  const std::vector<char> all = gathered(ranks, static_cast<char>(mine));
  return std::find(all.begin(), all.end(), 1) != all.end();
}

std::string first_text(Communicator& ranks, const std::string& mine) {
  const std::vector<std::uint64_t> sizes = gathered(ranks, std::uint64_t{mine.size()});
  const auto first = std::find_if(sizes.begin(), sizes.end(), [](std::uint64_t size) { return size > 0; });
  if (first == sizes.end()) return {};
  std::string text = mine;
  text.resize(*first);
  ranks.broadcast(static_cast<int>(first - sizes.begin()), text.data(), text.size());
  return text;
}

}  // namespace tessera
