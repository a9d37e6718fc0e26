#include <fmt/format.h>
#include <gmsh.h>
#include <metis.h>
#include <muParserDef.h>
#include <toml++/impl/version.h>
#include <vtkVersionMacros.h>

#include <spdlog/version.h>
#include <CLI/Version.hpp>
#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/commands.hpp"
#include "app/on_path.hpp"
#include "app/version.hpp"
#include "base/backend.hpp"
#include "base/memory.hpp"
#include "base/rank_libraries.hpp"
#include "deck/expression/vector_math.hpp"
#include "output/vtkhdf.hpp"

namespace tessera::app {
namespace {

void line(const std::string& name, const std::string& value) { fmt::print("  {:<12} {}\n", name, value); }

std::string cuda_version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

void print_gpu(const CudaInfo& cuda) {
  fmt::print("GPU\n");
  line("backend", cuda.compiled ? "built with the CUDA toolkit" : "not built: threads only");
  if (cuda.usable) {
    line("device", cuda.device);
    line("memory", fmt::format("{} free of {}", human_bytes(static_cast<double>(cuda.free_bytes)),
                               human_bytes(static_cast<double>(cuda.total_bytes))));
  }
  if (cuda.runtime > 0) line("runtime", cuda_version(cuda.runtime));
  if (cuda.driver > 0) line("driver", "for CUDA " + cuda_version(cuda.driver));
}

std::string words_of(const FoundLibrary& found) {
  return found.version.empty() ? "not usable: " + found.problem : fmt::format("{} ({})", found.version, found.file);
}

/// How ranks would share vectors.
std::string link_of_ranks(const CudaInfo& cuda, const FoundLibrary& nccl) {
  if (!cuda.usable) return "vectors through MPI";
  return fmt::format("vectors through the memory of GPUs that reach each other, {}",
                     nccl.version.empty()
                         ? "else through the host and MPI, which is slow, because NCCL is not usable"
                         : "else through NCCL where every rank has a GPU of its own, else through the host and MPI");
}

void print_ranks_and_choice(const CudaInfo& cuda) {
  const FoundLibrary mpi = find_mpi(), nccl = find_nccl();
  const std::string mpirun = find_on_path("mpirun");
  fmt::print("\nRanks\n");
  line("MPI", words_of(mpi));
  line("mpirun", mpirun.empty() ? "not on the PATH" : mpirun);
  line("NCCL", words_of(nccl));
  fmt::print("\nChoice\n");
  if (cuda.usable)
    line("auto", fmt::format("cuda, because {} answers", cuda.device));
  else
    line("auto", fmt::format("threads, because {}", cuda.why_not.empty() ? "no GPU can be used" : cuda.why_not));
  if (mpi.version.empty())
    line("ranks", "one, because MPI is not usable: install OpenMPI and build again (scripts/setup does both)");
  else
    line("ranks", fmt::format("as {} starts, {}", mpirun.empty() ? "a launcher (srun)" : "mpirun or srun",
                              link_of_ranks(cuda, nccl)));
}

}  // namespace

ExitCode doctor() {
  fmt::print("Tessera {}\n", version());
  line("compiler", TESSERA_COMPILER);
  line("build", fmt::format("{}, for CPU {}", TESSERA_BUILD_TYPE, TESSERA_TARGET_CPU));
  fmt::print("\nHost\n");
  line("cores", fmt::format("{} of {} for this process", Threads().count(), std::thread::hardware_concurrency()));
  line("memory", fmt::format("{} available", human_bytes(static_cast<double>(host_bytes_available()))));
  fmt::print("\n");
  const CudaInfo cuda = cuda_info();
  print_gpu(cuda);
  print_ranks_and_choice(cuda);
  fmt::print("\nLibraries\n");
  line("Gmsh", GMSH_API_VERSION);
  line("VTK", fmt::format("{}.{}.{}", VTK_MAJOR_VERSION, VTK_MINOR_VERSION, VTK_BUILD_VERSION));
  line("HDF5",
       output::hdf5_version().empty() ? "not built in: no output.formats = [\"vtkhdf\"]" : output::hdf5_version());
  line("METIS", fmt::format("{}.{}.{}", METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR));
  line("Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION));
  line("muParser", mu::ParserVersion);
  line("functions", fmt::format("of expressions: {}", deck::expressions::vector_library()));
  line("toml++", fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH));
  line("nlohmann",
       fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH));
  line("CLI11", CLI11_VERSION);
  line("fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION % 10000 / 100, FMT_VERSION % 100));
  line("spdlog", fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH));
  return ExitCode::ok;
}

}  // namespace tessera::app
