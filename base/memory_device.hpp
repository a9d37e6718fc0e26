#pragma once
#include "base/memory.hpp"

namespace tessera {

/// The device part of memory_use(): zero on builds without CUDA.
MemoryUse device_memory_use();

/// Peak of what `allocate` has taken from the device and not given back: what Arrays held, and what ReusedMemory kept
/// beside it, which goes back where an allocation finds too little. Zero on builds without CUDA.
std::size_t device_held_peak();

/// cudaFree, of any memory that `allocate` gave where it was asked for `bytes`.
void give_back(void* memory, std::size_t bytes) noexcept;

/// The bytes of the block that `memory` begins, which may be larger than what was asked for where it had served before;
/// it is forgotten, as whoever calls gives it away.
std::size_t take_size_of_block(void* memory, std::size_t asked) noexcept;

template <class Space>
class ReusedMemory;
/// What this thread's allocations on the device look into first; nullptr: nothing. Of CUDA builds.
extern thread_local ReusedMemory<Device>* reused_device_memory;

/// As long as it lives, this thread's allocations on the device come from the system: where a graph is recorded they
/// then fail, as what the graph has an address of must not serve others later.
class NoReusedMemory {
 public:
  NoReusedMemory();
  ~NoReusedMemory();
  NoReusedMemory(const NoReusedMemory&) = delete;

 private:
  ReusedMemory<Device>* before_;
};

}  // namespace tessera
