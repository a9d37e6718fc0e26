#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

namespace tessera {

/// Memory of the device that serves several allocations.
struct WholeBlock {
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
  std::size_t out = 0;  ///< of parts that are not given back
};

/// Memory of the device, or a part of it. Only addresses are looked at here.
struct Block {
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
  WholeBlock* whole = nullptr;  ///< of a part
};

/// Blocks that whoever frees them knows too little of: larger ones than what was asked for, and parts. Of all threads.
class NotedBlocks {
 public:
  /// `most`: bytes of blocks that are in parts at a time; they go back when their last part does.
  explicit NotedBlocks(std::size_t most) : most_(most) {}

  void note(const Block& block);
  /// What is known of the block that `memory` begins, of which `asked` bytes are in use; it is forgotten.
  Block take(void* memory, std::size_t asked) noexcept;

  /// Whether the block may be in parts; then it is, and has itself as the only one.
  bool part(Block& block);
  /// A part that is all of its block is that block.
  void join(Block& block) noexcept;
  /// What goes back to the device with the block: itself, that of which it was the last part, or nothing.
  Block give_back(const Block& block) noexcept;

 private:
  void forget(WholeBlock* whole) noexcept;

  const std::size_t most_;
  std::mutex mutex_;
  std::size_t in_parts_ = 0;
  std::unordered_map<void*, Block> noted_;
  std::unordered_map<std::byte*, std::unique_ptr<WholeBlock>> wholes_;  ///< that are in parts, by their addresses
};

/// Blocks that are free. A block serves an allocation that leaves little of it, or in parts: large ones any block,
/// small ones, which may stay long, small ones and what is in parts already. Parts that meet are one again.
class FreeBlocks {
 public:
  /// Alignment of parts, as that of the device.
  static constexpr std::size_t step = 512;
  /// Allocations from here on are large; blocks up to `small_blocks` are small.
  static constexpr std::size_t large = std::size_t{1} << 20, small_blocks = std::size_t{32} << 20;

  explicit FreeBlocks(NotedBlocks& noted) : noted_(noted) {}

  /// nullptr: there is none. What it returns is noted where that needs it.
  void* take(std::size_t bytes);
  /// Joins the block with free parts beside it: where this throws, the block has become what is not free yet.
  void add(Block& block);
  /// take_out(block) of all blocks, which are not free any more.
  template <class TakeOut>
  void clear(TakeOut take_out) noexcept {
    for (const auto& [place, block] : by_place_) take_out(block);
    by_place_.clear();
    by_size_.clear();
  }

 private:
  using Places = std::map<std::byte*, Block>;
  Block remove(Places::iterator at) noexcept;

  NotedBlocks& noted_;
  Places by_place_;
  std::set<std::pair<std::size_t, std::byte*>> by_size_;
};

}  // namespace tessera
