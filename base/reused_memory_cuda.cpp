#include "base/reused_memory.hpp"

#include <cuda_runtime.h>

#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/memory_device.hpp"

namespace tessera {
namespace {

/// Whether others who use the device, libraries and other processes, may soon miss what is kept.
bool is_short() {
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) == cudaSuccess) return free < total / 8;
  (void)cudaGetLastError();
  return true;
}

/// The bytes of blocks that serve smaller allocations: whoever frees one knows only what it asked for.
class LargerBlocks {
 public:
  void note(void* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    bytes_[memory] = bytes;
  }
  /// Forgets the block. Returns its bytes, or else `asked`.
  std::size_t take(void* memory, std::size_t asked) {
    const std::lock_guard lock(mutex_);
    const auto found = bytes_.find(memory);
    if (found == bytes_.end()) return asked;
    const std::size_t bytes = found->second;
    bytes_.erase(found);
    return bytes;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<void*, std::size_t> bytes_;
};

LargerBlocks& larger_blocks() {
  static LargerBlocks& blocks = *new LargerBlocks;  // as long as anything is freed
  return blocks;
}

}  // namespace

std::size_t take_size_of_block(void* memory, std::size_t asked) noexcept { return larger_blocks().take(memory, asked); }

NoReusedMemory::NoReusedMemory() : before_(std::exchange(reused_device_memory, nullptr)) {}
NoReusedMemory::~NoReusedMemory() { reused_device_memory = before_; }

struct ReusedMemory<Device>::Blocks {
  std::multimap<std::size_t, void*> free;  ///< by their bytes
};

ReusedMemory<Device>::ReusedMemory() : blocks_(std::make_unique<Blocks>()), outer_(reused_device_memory) {
  reused_device_memory = this;
}
ReusedMemory<Device>::~ReusedMemory() {
  reused_device_memory = outer_;
  if (outer_ && !is_short())  // which may need it next
    for (const auto& [size, memory] : blocks_->free) outer_->keep(memory, size);
  else
    flush();
}

void* ReusedMemory<Device>::take(std::size_t bytes) {
  const auto found = blocks_->free.lower_bound(bytes);
  if (found == blocks_->free.end() || found->first > bytes + bytes / 4 + 4096)
    return outer_ ? outer_->take(bytes) : nullptr;
  void* const memory = found->second;
  if (found->first > bytes) larger_blocks().note(memory, found->first);
  blocks_->free.erase(found);
  return memory;
}

void ReusedMemory<Device>::keep(void* memory, std::size_t bytes) noexcept {
  const std::size_t size = take_size_of_block(memory, bytes);
  try {
    blocks_->free.emplace(size, memory);
  } catch (...) {  // no room on the host to note it
    give_back(memory, size);
  }
}

void ReusedMemory<Device>::flush() noexcept {
  for (const auto& [size, memory] : blocks_->free) give_back(memory, size);
  blocks_->free.clear();
  if (outer_) outer_->flush();
}

}  // namespace tessera
