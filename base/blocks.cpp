#include "base/blocks.hpp"

#include <iterator>

namespace tessera {

void NotedBlocks::note(const Block& block) {
  const std::lock_guard lock(mutex_);
  noted_[block.memory] = block;
}

Block NotedBlocks::take(void* memory, std::size_t asked) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = noted_.find(memory);
  if (found == noted_.end()) return {static_cast<std::byte*>(memory), asked, nullptr};
  const Block block = found->second;
  noted_.erase(found);
  return block;
}

bool NotedBlocks::part(Block& block) {
  const std::lock_guard lock(mutex_);
  if (in_parts_ + block.bytes > most_) return false;
  auto& whole = wholes_[block.memory];
  whole = std::make_unique<WholeBlock>(WholeBlock{block.memory, block.bytes, block.bytes});
  block.whole = whole.get();
  in_parts_ += block.bytes;
  return true;
}

void NotedBlocks::join(Block& block) noexcept {
  const std::lock_guard lock(mutex_);
  if (!block.whole || block.whole->bytes != block.bytes) return;
  forget(std::exchange(block.whole, nullptr));
}

Block NotedBlocks::give_back(const Block& block) noexcept {
  if (!block.whole) return block;
  const std::lock_guard lock(mutex_);
  block.whole->out -= block.bytes;
  if (block.whole->out > 0) return {};
  const Block whole{block.whole->memory, block.whole->bytes, nullptr};
  forget(block.whole);
  return whole;
}

void NotedBlocks::forget(WholeBlock* whole) noexcept {
  in_parts_ -= whole->bytes;
  wholes_.erase(whole->memory);
}

Block FreeBlocks::remove(Places::iterator at) noexcept {
  const Block block = at->second;
  by_size_.erase({block.bytes, block.memory});
  by_place_.erase(at);
  return block;
}

void* FreeBlocks::take(std::size_t bytes) {
  const auto found = by_size_.lower_bound({bytes, nullptr});
  if (found == by_size_.end()) return nullptr;
  const auto at = by_place_.find(found->second);
  const bool leaves_little = at->second.bytes <= bytes + bytes / 4 + 4096;
  if (!leaves_little && !at->second.whole) {
    if (bytes < large && at->second.bytes > small_blocks) return nullptr;
    if (!noted_.part(at->second)) return nullptr;
  }
  Block block = remove(at);
  if (!leaves_little) {
    const std::size_t used = (bytes + step - 1) / step * step;
    Block rest{block.memory + used, block.bytes - used, block.whole};
    try {
      add(rest);
      block.bytes = used;
    } catch (...) {  // no room on the host to note it: then all of it is in use
    }
  }
  if (block.whole || block.bytes > bytes) {
    try {
      noted_.note(block);
    } catch (...) {  // whoever frees it would know too little of it
      add(block);
      return nullptr;
    }
  }
  return block.memory;
}

void FreeBlocks::add(Block& block) {
  if (block.whole) {
    const auto after = by_place_.upper_bound(block.memory);
    if (after != by_place_.end() && after->second.whole == block.whole && after->first == block.memory + block.bytes)
      block.bytes += remove(after).bytes;
    const auto next = by_place_.lower_bound(block.memory);
    if (next != by_place_.begin()) {
      const auto before = std::prev(next);
      if (before->second.whole == block.whole && before->first + before->second.bytes == block.memory) {
        block.memory = before->first;
        block.bytes += remove(before).bytes;
      }
    }
    noted_.join(block);
  }
  const auto at = by_place_.emplace(block.memory, block).first;
  try {
    by_size_.emplace(block.bytes, block.memory);
  } catch (...) {
    by_place_.erase(at);
    throw;
  }
}

}  // namespace tessera
