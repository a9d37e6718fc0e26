#pragma once
#include <string>

namespace tessera {

/// A library that runs over ranks need, as it is found on this machine.
struct FoundLibrary {
  std::string file;
  std::string version;  ///< as it calls itself; empty: it cannot be used
  std::string problem;  ///< why not
};

/// What start_mpi would load. MPI itself is not started.
FoundLibrary find_mpi();
/// What a Link of GPUs would load.
FoundLibrary find_nccl();

}  // namespace tessera
