#pragma once
#include "base/types.hpp"

namespace tessera {

/// Adds 1 to a count that other threads of a kernel add to; returns what was there before. On the host it is not
/// atomic.
TESSERA_HD inline Index add_one(Index* count) {
#ifdef __CUDA_ARCH__
  return atomicAdd(count, 1);
#else
  return (*count)++;
#endif
}

}  // namespace tessera
