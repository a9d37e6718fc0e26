// Sums and exchanges of ranks by kernels that write into the memory of other GPUs. Every rank calls them in one order,
// so the number of a sum or of an exchange is the same on all; it is counted on the device, because a recorded graph
// repeats its arguments. A number that has arrived says that what travels with it has.
//
// Places are used in turns, for even and odd numbers. Nobody overwrites what was not read: a rank begins number n + 2
// after it has seen number n + 1 of all, and they sent that after they had read number n.
#include <cuda_runtime.h>

#include <algorithm>
#include <utility>

#include "base/array.hpp"
#include "base/chained_launch.cuh"
#include "base/error.hpp"
#include "base/peer_bytes.hpp"
#include "base/peer_link.hpp"
#include "base/peer_memory.hpp"
#include "base/sum_ranges.hpp"

namespace tessera {
namespace {

using peer::chunk, peer::most_numbers, peer::most_ranks;
constexpr int sum_block = 128, move_block = 256;

/// The number of the next sum or exchange; 0 is left to zeroed memory.
__device__ unsigned after(unsigned number) { return number == 0xffffffffu ? 2 : number + 1; }

/// A double on its way. Each half is stored with the number of the sum as one: whoever finds that number has the half.
struct Word {
  unsigned low, low_number, high, high_number;
};
static_assert(sizeof(Word) * 2 * most_numbers == peer::inbox_bytes(1));

__device__ void put(Word* to, double value, unsigned number) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(to), "r"(static_cast<unsigned>(bits)),
               "r"(number), "r"(static_cast<unsigned>(bits >> 32))
               : "memory");
}

__device__ double take(const Word* from, unsigned number) {
  Word word{};
  do
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word.low), "=r"(word.low_number), "=r"(word.high), "=r"(word.high_number)
                 : "l"(from)
                 : "memory");
  while (word.low_number != number || word.high_number != number);
  return __longlong_as_double(static_cast<long long>(static_cast<unsigned long long>(word.high) << 32 | word.low));
}

/// Where each rank receives the numbers of all: [2, ranks, most_numbers].
struct Inboxes {
  Word* of[most_ranks];
};

/// Each sum becomes that over ranks, added in their order; `sums`: how many there have been.
__global__ void __launch_bounds__(sum_block)
    sum_over_peers(SumRanges ranges, Inboxes inboxes, int rank, int ranks, unsigned* sums) {
  let_next_kernel_start();
  await_kernels_before();
  const unsigned number = after(*sums);
  const int turn = static_cast<int>(number % 2) * ranks;
  int at = 0;
  for (int r = 0; r < ranges.count; at += ranges.of[r++].count)
    for (int k = threadIdx.x; k < ranges.of[r].count; k += sum_block)
      for (int to = 0; to < ranks; ++to)
        if (to != rank) put(inboxes.of[to] + (turn + rank) * most_numbers + at + k, ranges.of[r].first[k], number);
  at = 0;
  for (int r = 0; r < ranges.count; at += ranges.of[r++].count)
    for (int k = threadIdx.x; k < ranges.of[r].count; k += sum_block) {
      double* const value = ranges.of[r].first + k;
      double sum = 0;
      for (int from = 0; from < ranks; ++from)
        sum += from == rank ? *value : take(inboxes.of[rank] + (turn + from) * most_numbers + at + k, number);
      *value = sum;
    }
  __syncthreads();
  if (threadIdx.x == 0) *sums = number;
}

/// Bytes that go to a window or come from one; a chunk has a flag, which becomes the number of the exchange. With
/// `rows` they are those entries of `from`.
struct Way {
  const char* from;
  const Index* rows;
  char* to;
  unsigned* flags;
  Offset bytes;
  int first_block;
};
/// The ways of one exchange; the window is that of even numbers, that of odd ones lies `window_turn` bytes and
/// `flag_turn` flags behind.
struct Ways {
  Way of[most_ranks];
  int count = 0;
  int blocks = 0;
  Offset window_turn = 0, flag_turn = 0;
  int entry = 0;  ///< bytes of one, where there are rows

  /// Every way has a chunk at least: its flag says how far the other rank is.
  void add(Way way) {
    way.first_block = blocks;
    blocks += static_cast<int>(peer::chunks_of(way.bytes));
    of[count++] = way;
  }
};

__device__ const Way& way_of(const Ways& ways, int block) {
  int w = 0;
  while (w + 1 < ways.count && ways.of[w + 1].first_block <= block) ++w;
  return ways.of[w];
}

/// By all threads of a block, past the first cache: others may have written there.
template <class T>
__device__ void move_items(const char* from, char* to, Offset bytes) {
  for (Offset k = threadIdx.x; k < bytes / static_cast<Offset>(sizeof(T)); k += move_block)
    __stcg(reinterpret_cast<T*>(to) + k, __ldcg(reinterpret_cast<const T*>(from) + k));
}
__device__ void move(const char* from, char* to, Offset bytes) {
  const auto bits =
      reinterpret_cast<std::size_t>(from) | reinterpret_cast<std::size_t>(to) | static_cast<std::size_t>(bytes);
  if (bits % 16 == 0)
    move_items<uint4>(from, to, bytes);
  else if (bits % 8 == 0)
    move_items<unsigned long long>(from, to, bytes);
  else
    move_items<unsigned>(from, to, bytes);
}

template <class T>
__device__ void gather_items(const char* from, const Index* rows, char* to, Offset bytes) {
  for (Offset k = threadIdx.x; k < bytes / static_cast<Offset>(sizeof(T)); k += move_block)
    __stcg(reinterpret_cast<T*>(to) + k, reinterpret_cast<const T*>(from)[rows[k]]);
}

__global__ void __launch_bounds__(move_block)
    send_to_peers(const __grid_constant__ Ways ways, const unsigned* exchanges) {
  let_next_kernel_start();
  await_kernels_before();
  const unsigned number = after(*exchanges);
  const int block = static_cast<int>(blockIdx.x), turn = static_cast<int>(number % 2);
  const Way& way = way_of(ways, block);
  const Offset first = Offset{block - way.first_block} * chunk;
  char* const to = way.to + turn * ways.window_turn + first;
  const Offset bytes = min(way.bytes - first, Offset{chunk});
  if (!way.rows)
    move(way.from + first, to, bytes);
  else if (ways.entry == 8)
    gather_items<unsigned long long>(way.from, way.rows + first / 8, to, bytes);
  else
    gather_items<unsigned>(way.from, way.rows + first / 4, to, bytes);
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("fence.acq_rel.sys; st.relaxed.sys.global.u32 [%0], %1;" ::"l"(way.flags + turn * ways.flag_turn +
                                                                                (block - way.first_block)),
                 "r"(number)
                 : "memory");
}

/// `exchanges`: how many there have been, and a ticket for the block that counts this one.
__global__ void __launch_bounds__(move_block)
    receive_from_peers(const __grid_constant__ Ways ways, unsigned* exchanges) {
  let_next_kernel_start();
  await_kernels_before();
  const unsigned number = after(*exchanges);
  const int block = static_cast<int>(blockIdx.x), turn = static_cast<int>(number % 2);
  const Way& way = way_of(ways, block);
  if (threadIdx.x == 0) {
    const unsigned* const flag = way.flags + turn * ways.flag_turn + (block - way.first_block);
    unsigned seen = 0;
    do asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    while (seen != number);
  }
  __syncthreads();
  const Offset first = Offset{block - way.first_block} * chunk;
  move(way.from + turn * ways.window_turn + first, way.to + first, min(way.bytes - first, Offset{chunk}));
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(exchanges + 1, 1u) == gridDim.x - 1) {
    exchanges[1] = 0;
    exchanges[0] = number;
  }
}

class PeerLink final : public Link {
 public:
  PeerLink(Cuda& exec, Communicator& ranks, PeerMemory inboxes)
      : Link(ranks), exec_(exec), inbox_memory_(std::move(inboxes)), counts_(3) {
    counts_.set_zero();
    for (int r = 0; r < ranks.size(); ++r) inboxes_.of[r] = reinterpret_cast<Word*>(inbox_memory_.of(r));
  }
  ~PeerLink() override {
    if (!ends_in_order()) return;
    (void)cudaDeviceSynchronize();
    ranks().barrier();
    inbox_memory_.release(ranks());
    for (Windows& windows : windows_) windows.memory.release(ranks());
  }
  const char* name() const override { return "peer memory"; }

  /// Windows for the longest way of all ranks: the last ones, or larger ones. A plan keeps those that it has, so that
  /// a graph that one rank has recorded and a fresh exchange of another meet in the same.
  void prepare(ExchangePlan& plan, std::size_t entry) override {
    Offset longest = 1;
    for (const ExchangePlan::Range& range : plan.send)
      longest = std::max(longest, (range.last - range.first) * static_cast<Offset>(entry));
    const Offset chunks = peer::chunks_of(static_cast<Offset>(maximum(ranks(), static_cast<double>(longest))));
    if (windows_.empty() || windows_.back().chunks < chunks) {
      std::string why;
      PeerMemory memory(ranks(), peer::window_bytes(ranks().size(), chunks), why);
      if (!why.empty())
        throw Error(ExitCode::memory, "there is no room for what ranks send each other: " + why,
                    "use more ranks, or TESSERA_LINK=nccl");
      windows_.push_back({std::move(memory), chunks});
    }
    plan.place = static_cast<int>(windows_.size()) - 1;
  }

  void start(const ExchangePlan& plan, const void* send, void* receive, std::size_t entry) override {
    begin(plan, send, nullptr, receive, entry);
  }
  bool start_gathered(const ExchangePlan& plan, const void* x, const Index* rows, void* receive,
                      std::size_t entry) override {
    begin(plan, x, rows, receive, entry);
    return true;
  }
  void finish() override {
    launch_chained(exec_, receive_from_peers, arriving_.blocks, move_block, 0, arriving_, counts_.data() + 1);
  }

 protected:
  void sum_now(const std::vector<SumRange>& values) override {
    for (const SumRanges& ranges : split_ranges(values, most_numbers))
      launch_chained(exec_, sum_over_peers, 1, sum_block, 0, ranges, inboxes_, ranks().rank(), ranks().size(),
                     counts_.data());
  }

 private:
  /// [2, ranks, chunks] of each rank: for even and odd exchanges, from each rank; as many flags behind them.
  struct Windows {
    PeerMemory memory;
    Offset chunks;
  };

  /// `rows`: of x that go away, or nullptr: `x` has them packed.
  void begin(const ExchangePlan& plan, const void* x, const Index* rows, void* receive, std::size_t entry) {
    if (plan.place < 0 || entry % sizeof(unsigned) != 0)
      throw Error(ExitCode::internal, "an exchange was not prepared, or its entries are no multiple of 4 B");
    const Windows& windows = windows_[static_cast<std::size_t>(plan.place)];
    const int me = ranks().rank();
    Ways leaving;
    leaving.entry = static_cast<int>(entry);
    leaving.flag_turn = ranks().size() * windows.chunks;
    leaving.window_turn = leaving.flag_turn * chunk;
    arriving_ = leaving;
    for (int r = 0; r < ranks().size(); ++r) {
      if (r == me) continue;
      const auto [from, sent] = place_of(plan.send, r, entry);
      const auto [to, received] = place_of(plan.receive, r, entry);
      const char* const first = static_cast<const char*>(x);
      leaving.add({rows ? first : first + from, rows ? rows + from / static_cast<Offset>(entry) : nullptr,
                   window(windows, r, me), flags(windows, r, me), sent, 0});
      arriving_.add(
          {window(windows, me, r), nullptr, static_cast<char*>(receive) + to, flags(windows, me, r), received, 0});
    }
    launch_chained(exec_, send_to_peers, leaving.blocks, move_block, 0, leaving, counts_.data() + 1);
  }
  /// Of rank r, the one for even exchanges that `from` fills, and its flags.
  static char* window(const Windows& windows, int r, int from) {
    return windows.memory.of(r) + from * windows.chunks * chunk;
  }
  unsigned* flags(const Windows& windows, int r, int from) const {
    char* const first = windows.memory.of(r) + 2 * ranks().size() * windows.chunks * chunk;
    return reinterpret_cast<unsigned*>(first) + from * windows.chunks;
  }
  struct Place {
    Offset first, bytes;
  };
  static Place place_of(const std::vector<ExchangePlan::Range>& ranges, int rank, std::size_t entry) {
    for (const ExchangePlan::Range& range : ranges)
      if (range.rank == rank) {
        const auto bytes = static_cast<Offset>(entry);
        return {range.first * bytes, (range.last - range.first) * bytes};
      }
    return {0, 0};
  }

  Cuda& exec_;
  PeerMemory inbox_memory_;
  Inboxes inboxes_{};
  std::vector<Windows> windows_;
  Ways arriving_;                   ///< of the exchange under way
  Array<unsigned, Device> counts_;  ///< sums, exchanges, ticket
};

}  // namespace

std::unique_ptr<Link> make_peer_link(Cuda& exec, Communicator& ranks, std::string& why) {
  if (ranks.size() > most_ranks)
    why = "there are more than " + std::to_string(most_ranks) + " ranks";
  else if (any(ranks, ranks.size_of_machine() != ranks.size()))
    why = "ranks are on several machines";
  if (!why.empty()) return nullptr;
  PeerMemory inboxes(ranks, peer::inbox_bytes(ranks.size()), why);
  if (!why.empty()) return nullptr;
  return std::make_unique<PeerLink>(exec, ranks, std::move(inboxes));
}

}  // namespace tessera
