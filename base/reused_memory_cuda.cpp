#include "base/reused_memory.hpp"

#include <cuda_runtime.h>

#include <map>

#include "base/memory_device.hpp"

namespace tessera {

struct ReusedMemory<Device>::Blocks {
  std::multimap<std::size_t, void*> free;  ///< by how many bytes they have
  std::map<void*, std::size_t> larger;     ///< blocks in use that have more bytes than they were asked for
};

ReusedMemory<Device>::ReusedMemory() : blocks_(std::make_unique<Blocks>()), outer_(reused_device_memory) {
  reused_device_memory = this;
}
ReusedMemory<Device>::~ReusedMemory() {
  reused_device_memory = outer_;
  flush();
}

void* ReusedMemory<Device>::take(std::size_t bytes) {
  const auto found = blocks_->free.lower_bound(bytes);
  if (found == blocks_->free.end() || found->first > bytes + bytes / 4 + 4096) return nullptr;
  const auto [size, memory] = *found;
  blocks_->free.erase(found);
  if (size > bytes) blocks_->larger[memory] = size;
  return memory;
}

void ReusedMemory<Device>::keep(void* memory, std::size_t bytes) noexcept {
  try {
    const auto found = blocks_->larger.find(memory);
    blocks_->free.emplace(found == blocks_->larger.end() ? bytes : found->second, memory);
    if (found != blocks_->larger.end()) blocks_->larger.erase(found);
  } catch (...) {  // no room on the host to note it
    (void)cudaFree(memory);
  }
}

void ReusedMemory<Device>::flush() noexcept {
  for (const auto& [size, memory] : blocks_->free) (void)cudaFree(memory);
  blocks_->free.clear();
}

}  // namespace tessera
