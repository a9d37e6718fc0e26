#pragma once

namespace tessera {

/// The library of MPI beside the program, and the function of it that starts MPI and returns a Communicator.
inline constexpr const char* mpi_library = "libtessera_mpi.so";
inline constexpr const char* mpi_entry = "tessera_start_mpi";
/// A function of it that returns what MPI calls itself, before it is started, too.
inline constexpr const char* mpi_version_entry = "tessera_mpi_version";

}  // namespace tessera
