#include "base/reused_memory.hpp"

#include <cuda_runtime.h>

#include <utility>

#include "base/blocks.hpp"
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

/// Parts that stay keep their block from going back: so that a device never lacks much for it, blocks of an eighth of
/// its memory are in parts at most.
std::size_t most_in_parts() {
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) == cudaSuccess) return total / 8;
  (void)cudaGetLastError();
  return 0;
}

NotedBlocks& noted_blocks() {
  static NotedBlocks& blocks = *new NotedBlocks(most_in_parts());  // as long as anything is freed
  return blocks;
}

void give_back_block(const Block& block) noexcept {
  const Block goes = noted_blocks().give_back(block);
  if (goes.memory) give_to_device(goes.memory, goes.bytes);
}

}  // namespace

void give_back(void* memory, std::size_t bytes) noexcept {
  if (memory) give_back_block(noted_blocks().take(memory, bytes));
}

NoReusedMemory::NoReusedMemory() : before_(std::exchange(reused_device_memory, nullptr)) {}
NoReusedMemory::~NoReusedMemory() { reused_device_memory = before_; }

struct ReusedMemory<Device>::Blocks {
  FreeBlocks free{noted_blocks()};

  void add(Block block) noexcept {
    try {
      free.add(block);
    } catch (...) {  // no room on the host to note it
      give_back_block(block);
    }
  }
};

ReusedMemory<Device>::ReusedMemory() : blocks_(std::make_unique<Blocks>()), outer_(reused_device_memory) {
  reused_device_memory = this;
}
ReusedMemory<Device>::~ReusedMemory() {
  reused_device_memory = outer_;
  if (outer_ && !is_short())  // which may need it next
    blocks_->free.clear([&](const Block& block) { outer_->blocks_->add(block); });
  else
    flush();
}

void* ReusedMemory<Device>::take(std::size_t bytes) {
  if (void* const memory = blocks_->free.take(bytes)) return memory;
  return outer_ ? outer_->take(bytes) : nullptr;
}

void ReusedMemory<Device>::keep(void* memory, std::size_t bytes) noexcept {
  if (memory) blocks_->add(noted_blocks().take(memory, bytes));
}

void ReusedMemory<Device>::flush() noexcept {
  blocks_->free.clear(give_back_block);
  if (outer_) outer_->flush();
}

}  // namespace tessera
