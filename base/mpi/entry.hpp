#pragma once

namespace tessera {

/// The library of MPI beside the program, and the function of it that starts MPI and returns a Communicator.
inline constexpr const char* mpi_library = "libtessera_mpi.so";
inline constexpr const char* mpi_entry = "tessera_start_mpi";

}  // namespace tessera
