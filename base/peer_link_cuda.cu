// Sums and exchanges of ranks by kernels that write into the memory of other GPUs: see peer_kernels.cuh.
#include <cuda_runtime.h>

#include <algorithm>
#include <utility>

#include "base/array.hpp"
#include "base/chained_launch.cuh"
#include "base/error.hpp"
#include "base/peer_kernels.cuh"
#include "base/peer_link.hpp"
#include "base/peer_memory.hpp"
#include "base/sum_ranges.hpp"

namespace tessera {
namespace {

using peer::chunk;
constexpr int sum_block = 128, move_block = 256;

/// Each sum becomes that over ranks, added in their order.
__global__ void __launch_bounds__(sum_block) sum_over_peers(SumRanges ranges, const __grid_constant__ PeerSums peers) {
  let_next_kernel_start();
  await_kernels_before();
  const unsigned number = peer::after(*peers.count);
  int at = 0;
  for (int r = 0; r < ranges.count; at += ranges.of[r++].count)
    for (int k = threadIdx.x; k < ranges.of[r].count; k += sum_block)
      peer::send(peers, ranges.of[r].first[k], number, at + k);
  at = 0;
  for (int r = 0; r < ranges.count; at += ranges.of[r++].count)
    for (int k = threadIdx.x; k < ranges.of[r].count; k += sum_block) {
      double* const value = ranges.of[r].first + k;
      *value = peer::sum(peers, *value, number, at + k);
    }
  __syncthreads();
  if (threadIdx.x == 0) *peers.count = number;
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
  Way of[peer::most_ranks];
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
  const unsigned number = peer::after(*exchanges);
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
  const unsigned number = peer::after(*exchanges);
  const int block = static_cast<int>(blockIdx.x), turn = static_cast<int>(number % 2);
  const Way& way = way_of(ways, block);
  if (threadIdx.x == 0) peer::await_flag(way.flags + turn * ways.flag_turn + (block - way.first_block), number);
  __syncthreads();
  const Offset first = Offset{block - way.first_block} * chunk;
  move(way.from + turn * ways.window_turn + first, way.to + first, min(way.bytes - first, Offset{chunk}));
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(exchanges + 1, 1u) == gridDim.x - 1) {
    exchanges[1] = 0;
    exchanges[0] = number;
  }
}

__global__ void __launch_bounds__(move_block) await_peers(const __grid_constant__ PeerArrival arrival) {
  await_kernels_before();
  peer::await(arrival);
  let_next_kernel_start();
}

class PeerLink final : public Link {
 public:
  PeerLink(Cuda& exec, Communicator& ranks, PeerMemory inboxes)
      : Link(ranks), exec_(exec), inbox_memory_(std::move(inboxes)), counts_(3) {
    counts_.set_zero();
    for (int r = 0; r < ranks.size(); ++r) sums_.inbox[r] = reinterpret_cast<PeerWord*>(inbox_memory_.of(r));
    sums_.count = counts_.data();
    sums_.rank = ranks.rank();
    sums_.ranks = ranks.size();
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
    begin(exec_, plan, send, nullptr, receive, entry);
  }
  using Link::start_gathered;
  bool start_gathered(Cuda& exec, const ExchangePlan& plan, const void* x, const Index* rows, void* receive,
                      std::size_t entry) override {
    begin(exec, plan, x, rows, receive, entry);
    return true;
  }
  void finish() override { finish_for(exec_); }
  /// Beside other work one block waits, and not all those that bring what comes: they would take room from it.
  void finish_for(Cuda& exec) override {
    if (&exec != &exec_) launch_chained(exec, await_peers, 1, move_block, 0, arrival_);
    launch_chained(exec, receive_from_peers, arriving_.blocks, move_block, 0, arriving_, counts_.data() + 1);
  }
  const PeerArrival* finish_in_kernel() override { return &arrival_; }

 protected:
  void sum_now(const std::vector<SumRange>& values) override {
    for (const SumRanges& ranges : split_ranges(values, peer::most_numbers))
      launch_chained(exec_, sum_over_peers, 1, sum_block, 0, ranges, sums_);
  }
  const PeerSums* peer_sums() const override { return &sums_; }

 private:
  /// [2, ranks, chunks] of each rank: for even and odd exchanges, from each rank; as many flags behind them.
  struct Windows {
    PeerMemory memory;
    Offset chunks;
  };

  /// `rows`: of x that go away, or nullptr: `x` has them packed.
  void begin(Cuda& exec, const ExchangePlan& plan, const void* x, const Index* rows, void* receive, std::size_t entry) {
    if (plan.place < 0 || entry % sizeof(unsigned) != 0)
      throw Error(ExitCode::internal, "an exchange was not prepared, or its entries are no multiple of 4 B");
    const Windows& windows = windows_[static_cast<std::size_t>(plan.place)];
    const int me = ranks().rank();
    Ways leaving;
    leaving.entry = static_cast<int>(entry);
    leaving.flag_turn = ranks().size() * windows.chunks;
    leaving.window_turn = leaving.flag_turn * chunk;
    arriving_ = leaving;
    arrival_ = {};
    arrival_.window_turn = leaving.window_turn;
    arrival_.flag_turn = leaving.flag_turn;
    arrival_.exchanges = counts_.data() + 1;
    for (int r = 0; r < ranks().size(); ++r) {
      if (r == me) continue;
      const auto [from, sent] = place_of(plan.send, r, entry);
      const auto [to, received] = place_of(plan.receive, r, entry);
      const char* const first = static_cast<const char*>(x);
      leaving.add({rows ? first : first + from, rows ? rows + from / static_cast<Offset>(entry) : nullptr,
                   window(windows, r, me), flags(windows, r, me), sent, 0});
      const int before = arriving_.blocks;
      arriving_.add(
          {window(windows, me, r), nullptr, static_cast<char*>(receive) + to, flags(windows, me, r), received, 0});
      const auto size = static_cast<Offset>(entry);
      arrival_.of[arrival_.count++] = {window(windows, me, r), flags(windows, me, r), to / size, (to + received) / size,
                                       arriving_.blocks - before};
    }
    launch_chained(exec, send_to_peers, leaving.blocks, move_block, 0, leaving, counts_.data() + 1);
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
  PeerSums sums_;
  std::vector<Windows> windows_;
  Ways arriving_;                   ///< of the exchange under way
  PeerArrival arrival_;             ///< the same for a kernel that waits itself
  Array<unsigned, Device> counts_;  ///< sums, exchanges, ticket
};

}  // namespace

std::unique_ptr<Link> make_peer_link(Cuda& exec, Communicator& ranks, std::string& why) {
  if (ranks.size() > peer::most_ranks)
    why = "there are more than " + std::to_string(peer::most_ranks) + " ranks";
  else if (any(ranks, ranks.size_of_machine() != ranks.size()))
    why = "ranks are on several machines";
  if (!why.empty()) return nullptr;
  PeerMemory inboxes(ranks, peer::inbox_bytes(ranks.size()), why);
  if (!why.empty()) return nullptr;
  return std::make_unique<PeerLink>(exec, ranks, std::move(inboxes));
}

}  // namespace tessera
