#pragma once
#include "base/memory.hpp"

namespace tessera {

/// The device part of memory_use(): zero on builds without CUDA.
MemoryUse device_memory_use();

/// Peak of what `allocate` has taken from the device and not given back: what Arrays held, and what ReusedMemory kept
/// beside it, which goes back where an allocation finds too little. Zero on builds without CUDA.
std::size_t device_held_peak();

/// Of memory that `allocate` gave where it was asked for `bytes`: it goes back to the device, with the block that it
/// was the last part of where it was a part.
void give_back(void* memory, std::size_t bytes) noexcept;
/// cudaFree, of a block of `bytes`.
void give_to_device(void* memory, std::size_t bytes) noexcept;

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
