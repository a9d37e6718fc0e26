#pragma once
#include "base/peer_bytes.hpp"
#include "base/types.hpp"

namespace tessera {

/// A double on its way. Each half is stored with the number of the sum as one: whoever finds that number has the half.
struct PeerWord {
  unsigned low, low_number, high, high_number;
};
static_assert(sizeof(PeerWord) * 2 * peer::most_numbers == peer::inbox_bytes(1));

/// With which a kernel forms sums over ranks itself (peer_kernels.cuh).
struct PeerSums {
  PeerWord* inbox[peer::most_ranks] = {};  ///< of each rank [2, ranks, most_numbers]
  unsigned* count = nullptr;               ///< how many sums there have been
  int rank = 0, ranks = 0;                 ///< no ranks: there are no others
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
  Way of[peer::most_ranks];
  int count = 0;
  Offset window_turn = 0, flag_turn = 0;
  unsigned* exchanges = nullptr;  ///< how many there have been
};

}  // namespace tessera
