#include "base/reused_memory.hpp"

#include <cuda_runtime.h>

#include <map>

#include "base/memory_device.hpp"

namespace tessera {

/// A block that serves a smaller allocation counts as one of that size from then on: whoever frees it knows no more.
struct ReusedMemory<Device>::Blocks {
  std::multimap<std::size_t, void*> free;  ///< by how many bytes they have, or more
};

ReusedMemory<Device>::ReusedMemory() : blocks_(std::make_unique<Blocks>()), outer_(reused_device_memory) {
  reused_device_memory = this;
}
ReusedMemory<Device>::~ReusedMemory() {
  reused_device_memory = outer_;
  if (outer_)  // which may need it next
    for (const auto& [size, memory] : blocks_->free) outer_->keep(memory, size);
  else
    flush();
}

void* ReusedMemory<Device>::take(std::size_t bytes) {
  const auto found = blocks_->free.lower_bound(bytes);
  if (found == blocks_->free.end() || found->first > bytes + bytes / 4 + 4096)
    return outer_ ? outer_->take(bytes) : nullptr;
  void* const memory = found->second;
  blocks_->free.erase(found);
  return memory;
}

void ReusedMemory<Device>::keep(void* memory, std::size_t bytes) noexcept {
  try {
    blocks_->free.emplace(bytes, memory);
  } catch (...) {  // no room on the host to note it
    (void)cudaFree(memory);
  }
}

void ReusedMemory<Device>::flush() noexcept {
  for (const auto& [size, memory] : blocks_->free) (void)cudaFree(memory);
  blocks_->free.clear();
  if (outer_) outer_->flush();
}

}  // namespace tessera
