#pragma once
#include <cstdint>

#include "base/types.hpp"

namespace tessera::linalg {

/// 64 bits that look random: a function of the global number of a row and of a seed, so the same on every backend and
/// however many ranks share the rows. SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
TESSERA_HD inline std::uint64_t random_bits(Offset row, std::uint64_t seed = 0) {
  std::uint64_t bits = (static_cast<std::uint64_t>(row) + 1) * 0x9e3779b97f4a7c15u + seed;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

}  // namespace tessera::linalg
