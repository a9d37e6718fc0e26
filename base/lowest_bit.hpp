#pragma once
#include <cstdint>

#include "base/types.hpp"

namespace tessera {

/// The number of the lowest bit that is set in `bits`, which is not 0.
TESSERA_HD inline int lowest_bit(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return __builtin_ctzll(bits);
#endif
}

}  // namespace tessera
