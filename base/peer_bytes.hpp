#pragma once
// The memory of a GPU that those of other ranks of its machine write into, which forecasts know as well.
#include <cstddef>

#include "base/types.hpp"

namespace tessera::peer {

/// Of one machine.
inline constexpr int most_ranks = 16;
/// A sum of more goes in several.
inline constexpr int most_numbers = 512;
/// Bytes that a block of threads moves: few, so that many blocks wait for memory at the same time.
inline constexpr int chunk = 4096;

/// Of numbers on their way to a sum, 16 bytes each, from each rank, for even and odd sums.
constexpr std::size_t inbox_bytes(int ranks) {
  return std::size_t{16} * 2 * most_numbers * static_cast<std::size_t>(ranks);
}

/// In which the longest way of an exchange goes, `bytes` from one rank to another.
constexpr Offset chunks_of(Offset bytes) { return bytes <= chunk ? 1 : (bytes + chunk - 1) / chunk; }
/// From each rank so many chunks, for even and odd exchanges, and a flag for each behind them.
constexpr std::size_t window_bytes(int ranks, Offset chunks) {
  return static_cast<std::size_t>(2 * ranks * chunks) * (chunk + sizeof(unsigned));
}

}  // namespace tessera::peer
