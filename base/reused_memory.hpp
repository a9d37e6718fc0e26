#pragma once
#include <cstddef>
#include <memory>

#include "base/types.hpp"

namespace tessera {

/// As long as it lives, what this thread frees in the space serves its own next allocations; then it goes back. For
/// work that makes and frees many arrays, all on one stream, where each call to the system would cost more than the
/// work: cudaFree waits for the device.
template <class Space>
class ReusedMemory;

/// The C library does that by itself.
template <>
class ReusedMemory<Host> {
 public:
  ReusedMemory() {}
};

template <>
class ReusedMemory<Device> {
 public:
  ReusedMemory();
  ~ReusedMemory();
  ReusedMemory(const ReusedMemory&) = delete;

  /// A freed block that has room for `bytes` and is not much larger; nullptr: none.
  void* take(std::size_t bytes);
  void keep(void* memory, std::size_t bytes) noexcept;
  /// Gives everything back that is not in use.
  void flush() noexcept;

 private:
  struct Blocks;
  std::unique_ptr<Blocks> blocks_;
  ReusedMemory* outer_;
};

}  // namespace tessera
