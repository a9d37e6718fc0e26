#pragma once
#include "base/memory.hpp"

namespace tessera {

/// The device part of memory_use(): zero on builds without CUDA.
MemoryUse device_memory_use();

/// cudaFree, of any memory that `allocate` gave.
void give_back(void* memory) noexcept;

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
