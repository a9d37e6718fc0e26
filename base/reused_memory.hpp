#pragma once
#include <cstddef>
#include <memory>

#include "base/types.hpp"

namespace tessera {

/// While it lives, what this thread frees serves its next allocations, in parts where these are smaller (blocks.hpp);
/// then it goes back, or to the one it lies in. For work with many arrays, where a call to the system costs more than
/// the work: cudaFree waits for the device. All on one stream, which has to wait for what other streams do with an
/// array before that is freed.
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

  /// A freed block that has room for `bytes`, or a part of one; nullptr: none.
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
