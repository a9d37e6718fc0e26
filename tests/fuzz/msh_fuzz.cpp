// libFuzzer target: any bytes as a .msh file. The walk in front of Gmsh must accept them or refuse them as a mesh.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "mesh/msh_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  static const int file = memfd_create("fuzz.msh", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  try {
    mesh::check_readable(path);
    (void)mesh::check_msh(path);
  } catch (const Error& error) {
    if (error.code() != ExitCode::mesh || error.report().empty()) __builtin_trap();
  }
  return 0;
}
