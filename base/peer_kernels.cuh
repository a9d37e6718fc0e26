#pragma once
// Sums of ranks in kernels that write into the memory of other GPUs. Every rank forms them in one order, so the number
// of a sum or of an exchange is the same on all; it is counted on the device, because a recorded graph repeats its
// arguments. A number that has arrived says that what travels with it has.
//
// Places are used in turns, for even and odd numbers. Nobody overwrites what was not read: a rank begins number n + 2
// after it has seen number n + 1 of all, and they sent that after they had read number n.
#include <cuda_runtime.h>

#include "base/peer_sums.hpp"

namespace tessera::peer {

/// The number of the next sum or exchange; 0 is left to zeroed memory.
__device__ inline unsigned after(unsigned number) { return number == 0xffffffffu ? 2 : number + 1; }

__device__ inline void put(PeerWord* to, double value, unsigned number) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(to), "r"(static_cast<unsigned>(bits)),
               "r"(number), "r"(static_cast<unsigned>(bits >> 32))
               : "memory");
}

__device__ inline double take(const PeerWord* from, unsigned number) {
  PeerWord word{};
  do
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word.low), "=r"(word.low_number), "=r"(word.high), "=r"(word.high_number)
                 : "l"(from)
                 : "memory");
  while (word.low_number != number || word.high_number != number);
  return __longlong_as_double(static_cast<long long>(static_cast<unsigned long long>(word.high) << 32 | word.low));
}

/// Place `at` of what rank `from` writes for rank `to` in a sum of this number.
__device__ inline PeerWord* place(const PeerSums& peers, int to, int from, unsigned number, int at) {
  const int turn = static_cast<int>(number % 2) * peers.ranks;
  return peers.inbox[to] + (turn + from) * most_numbers + at;
}

__device__ inline void send(const PeerSums& peers, double value, unsigned number, int at) {
  for (int to = 0; to < peers.ranks; ++to)
    if (to != peers.rank) put(place(peers, to, peers.rank, number, at), value, number);
}
/// What this rank has sent, and the values of the others: added in the order of ranks.
__device__ inline double sum(const PeerSums& peers, double value, unsigned number, int at) {
  double result = 0;
  for (int from = 0; from < peers.ranks; ++from)
    result += from == peers.rank ? value : take(place(peers, peers.rank, from, number, at), number);
  return result;
}

/// By one thread of a kernel: its numbers become sums over ranks, if there are others.
template <int n>
__device__ void sum_over_ranks(const PeerSums& peers, double (&values)[n]) {
  if (peers.ranks == 0) return;
  const unsigned number = after(*peers.count);
#pragma unroll
  for (int k = 0; k < n; ++k) send(peers, values[k], number, k);
#pragma unroll
  for (int k = 0; k < n; ++k) values[k] = sum(peers, values[k], number, k);
  *peers.count = number;
}

/// Waits until a chunk of this exchange is here.
__device__ inline void await_flag(const unsigned* flag, unsigned number) {
  unsigned seen = 0;
  do asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  while (seen != number);
}

/// By all threads of a block: waits until all entries of the next exchange are here. Its number.
__device__ inline unsigned await(const PeerArrival& arrival) {
  const unsigned number = after(*arrival.exchanges);
  const Offset turn = number % 2 * arrival.flag_turn;
  for (int w = 0; w < arrival.count; ++w)
    for (int c = static_cast<int>(threadIdx.x); c < arrival.of[w].chunks; c += static_cast<int>(blockDim.x))
      await_flag(arrival.of[w].flags + turn + c, number);
  __syncthreads();
  return number;
}

/// A packed entry of an exchange that was awaited; past the first cache, which may have it from an earlier one.
template <class T>
__device__ T entry(const PeerArrival& arrival, unsigned number, Offset k) {
  int w = 0;
  while (k < arrival.of[w].first || k >= arrival.of[w].last) ++w;
  const char* const window = arrival.of[w].window + number % 2 * arrival.window_turn;
  return __ldcg(reinterpret_cast<const T*>(window) + (k - arrival.of[w].first));
}

}  // namespace tessera::peer
