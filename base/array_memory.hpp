#pragma once
#include <cstddef>

namespace tessera {

/// What Arrays hold on the host, in bytes. On the device memory_use() says it.
struct ArrayMemory {
  std::size_t now = 0;
  std::size_t peak = 0;  ///< since the program started, or since reset_host_array_peak
};
ArrayMemory host_array_memory();
/// The peak becomes what Arrays hold now: for tests that measure one part of a program.
void reset_host_array_peak();

}  // namespace tessera
