#pragma once
#include <cuda_runtime.h>

#include <string>
#include <utility>
#include <vector>

#include "base/communicator.hpp"

namespace tessera {

/// Zeroed device memory of which every rank of a machine has as much, and into which each can write that of all.
/// Making and releasing it is collective.
class PeerMemory {
 public:
  PeerMemory(PeerMemory&& other) noexcept
      : mine_(std::exchange(other.mine_, nullptr)), of_(std::exchange(other.of_, {})) {}
  /// `why`: the first rank's reason why it is not to be had; then it is empty.
  PeerMemory(Communicator& ranks, std::size_t bytes, std::string& why);
  /// Where ranks do not come to their end together they leave it to the end of the process.
  void release(Communicator& ranks);

  bool empty() const { return of_.empty(); }
  /// What rank r has, as this rank sees it.
  char* of(int r) const { return of_[static_cast<std::size_t>(r)]; }

 private:
  std::string open(Communicator& ranks, const cudaIpcMemHandle_t& handle);
  void close();

  char* mine_ = nullptr;
  std::vector<char*> of_;
};

}  // namespace tessera
