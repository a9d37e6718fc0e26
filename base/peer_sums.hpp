#pragma once
#include "base/types.hpp"

namespace tessera {

/// Ranks of one machine whose GPUs write into each other's memory.
inline constexpr int most_peers = 16;
/// Of one sum; a longer one goes in several.
inline constexpr int most_peer_numbers = 512;

/// A double on its way. Each half is stored with the number of the sum as one: whoever finds that number has the half.
struct PeerWord {
  unsigned low, low_number, high, high_number;
};

/// With which a kernel forms sums over ranks itself (peer_kernels.cuh).
struct PeerSums {
  PeerWord* inbox[most_peers] = {};  ///< of each rank [2, ranks, most_peer_numbers]
  unsigned* count = nullptr;         ///< how many sums there have been
  int rank = 0, ranks = 0;           ///< no ranks: there are no others
};

/// What an exchange brings, for a kernel that waits for it and reads it where other ranks have written it.
struct PeerArrival {
  /// Entries [first, last) of the packed ones.
  struct Way {
    const char* window = nullptr;     ///< for even numbers; that for odd ones lies `window_turn` bytes behind
    const unsigned* flags = nullptr;  ///< of its chunks, which become the number of the exchange
    Offset first = 0, last = 0;
    int chunks = 0;
  };
  Way of[most_peers];
  int count = 0;
  Offset window_turn = 0, flag_turn = 0;
  unsigned* exchanges = nullptr;  ///< how many there have been
};

}  // namespace tessera
