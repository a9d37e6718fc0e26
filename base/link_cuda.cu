#include <cuda_runtime.h>

#include <array>
#include <cstdlib>
#include <set>

#include "base/cuda_check.hpp"
#include "base/error.hpp"
#include "base/link.hpp"
#include "base/log.hpp"
#include "base/machine.hpp"
#include "base/parallel.hpp"
#include "base/peer_link.hpp"
#include "base/sum_ranges.hpp"
#if __has_include(<nccl.h>)
#include "base/nccl.hpp"
#define TESSERA_HAVE_NCCL
#endif

namespace tessera {
namespace {

/// One block does; the numbers are few. A sum of more goes in several.
constexpr int sum_block = 128, most_numbers = 1024;

__global__ void __launch_bounds__(sum_block) pack_sums(SumRanges ranges, double* packed) {
  for (int r = 0; r < ranges.count; packed += ranges.of[r++].count)
    for (int k = threadIdx.x; k < ranges.of[r].count; k += sum_block) packed[k] = ranges.of[r].first[k];
}

/// gathered [ranks, size], added in the order of ranks.
__global__ void __launch_bounds__(sum_block) add_sums(SumRanges ranges, const double* gathered, int ranks, int size) {
  for (int r = 0; r < ranges.count; gathered += ranges.of[r++].count)
    for (int k = threadIdx.x; k < ranges.of[r].count; k += sum_block) {
      double sum = 0;
      for (int rank = 0; rank < ranks; ++rank) sum += gathered[rank * size + k];
      ranges.of[r].first[k] = sum;
    }
}

/// What both ways share: packed sums on the device.
class DeviceLink : public Link {
 public:
  DeviceLink(Cuda& exec, Communicator& ranks)
      : Link(ranks), exec_(exec), mine_(most_numbers), all_(Offset{most_numbers} * ranks.size()) {}

 protected:
  /// Gathers `size` numbers of every rank at `all`; on the stream.
  virtual void gather(const double* mine, double* all, int size) = 0;

  void sum_now(const std::vector<SumRange>& values) override {
    for (const SumRanges& ranges : split_ranges(values, most_numbers)) {
      launch(exec_, pack_sums, 1, sum_block, ranges, mine_.data());
      gather(mine_.data(), all_.data(), ranges.numbers);
      launch(exec_, add_sums, 1, sum_block, ranges, static_cast<const double*>(all_.data()), ranks().size(),
             ranges.numbers);
    }
  }

  Cuda& exec_;

 private:
  Array<double, Device> mine_, all_;
};

/// Through pinned memory of the host and MPI: waits for the stream.
class StagedLink final : public DeviceLink {
 public:
  using DeviceLink::DeviceLink;
  const char* name() const override { return "mpi through the host"; }
  bool recordable() const override { return false; }

  void start(const ExchangePlan& plan, const void* send, void* receive, std::size_t entry) override {
    const std::size_t out = bytes_of(plan.send, entry), in = bytes_of(plan.receive, entry);
    sent_.reserve(out);
    received_.reserve(in);
    TESSERA_CUDA_CHECK(cudaMemcpyAsync(sent_.data, send, out, cudaMemcpyDeviceToHost, exec_.stream()));
    exec_.synchronize();
    ranks().start(pieces(plan.send, sent_.data, entry), pieces(plan.receive, received_.data, entry));
    receive_ = receive;
    bytes_ = in;
  }
  void finish() override { finish_for(exec_); }
  void finish_for(Cuda& exec) override {
    ranks().finish();
    TESSERA_CUDA_CHECK(cudaMemcpyAsync(receive_, received_.data, bytes_, cudaMemcpyHostToDevice, exec.stream()));
    exec.synchronize();  // the pinned memory is free again
  }

 protected:
  void gather(const double* mine, double* all, int size) override {
    const auto count = static_cast<std::size_t>(size);
    std::vector<double> here(count), there(count * static_cast<std::size_t>(ranks().size()));
    exec_.synchronize();
    copy_bytes(Device{}, mine, Host{}, here.data(), here.size() * sizeof(double));
    ranks().all_gather(here.data(), here.size() * sizeof(double), there.data());
    copy_bytes(Host{}, there.data(), Device{}, all, there.size() * sizeof(double));
  }

 private:
  struct Pinned {
    char* data = nullptr;
    std::size_t size = 0;
    void reserve(std::size_t bytes) {
      if (bytes <= size) return;
      release();
      TESSERA_CUDA_CHECK(cudaMallocHost(&data, bytes));
      size = bytes;
    }
    void release() {
      if (data) (void)cudaFreeHost(data);
      data = nullptr;
      size = 0;
    }
    ~Pinned() { release(); }
  };
  static std::size_t bytes_of(const std::vector<ExchangePlan::Range>& ranges, std::size_t entry) {
    std::size_t last = 0;
    for (const ExchangePlan::Range& range : ranges) last = std::max(last, static_cast<std::size_t>(range.last));
    return last * entry;
  }
  static std::vector<Communicator::Piece> pieces(const std::vector<ExchangePlan::Range>& ranges, char* buffer,
                                                 std::size_t entry) {
    std::vector<Communicator::Piece> result;
    for (const ExchangePlan::Range& range : ranges)
      result.push_back({range.rank, buffer + static_cast<std::size_t>(range.first) * entry,
                        static_cast<std::size_t>(range.last - range.first) * entry});
    return result;
  }

  Pinned sent_, received_;
  void* receive_ = nullptr;
  std::size_t bytes_ = 0;
};

#ifdef TESSERA_HAVE_NCCL
/// NCCL: sums on the stream of the work, exchanges on one of their own, which has precedence.
class NcclLink final : public DeviceLink {
 public:
  NcclLink(Cuda& exec, Communicator& ranks) : DeviceLink(exec, ranks), nccl_(Nccl::loaded()) {
    ncclUniqueId id{};
    if (ranks.is_root()) nccl_.check(nccl_.GetUniqueId(&id), "GetUniqueId");
    ranks.broadcast(0, &id, sizeof id);
    nccl_.check(nccl_.CommInitRank(&communicator_, ranks.size(), id, ranks.rank()), "CommInitRank");
    int lowest = 0, highest = 0;
    TESSERA_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    TESSERA_CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, highest));
    for (cudaEvent_t* event : {&packed_, &received_})
      TESSERA_CUDA_CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    // The first sum connects the ranks, which takes a third of a second.
    Array<double, Device> zero(1);
    zero.set_zero();
    sum({{zero.data()}});
    exec.synchronize();
  }
  ~NcclLink() override {
    if (!ends_in_order()) return;
    (void)cudaDeviceSynchronize();
    (void)nccl_.CommDestroy(communicator_);
    (void)cudaStreamDestroy(stream_);
    (void)cudaEventDestroy(packed_);
    (void)cudaEventDestroy(received_);
  }
  const char* name() const override { return "nccl"; }

  void start(const ExchangePlan& plan, const void* send, void* receive, std::size_t entry) override {
    TESSERA_CUDA_CHECK(cudaEventRecord(packed_, exec_.stream()));
    TESSERA_CUDA_CHECK(cudaStreamWaitEvent(stream_, packed_, 0));
    nccl_.check(nccl_.GroupStart(), "GroupStart");
    for (const ExchangePlan::Range& range : plan.send)
      nccl_.check(nccl_.Send(static_cast<const char*>(send) + static_cast<std::size_t>(range.first) * entry,
                             static_cast<std::size_t>(range.last - range.first) * entry, ncclInt8, range.rank,
                             communicator_, stream_),
                  "Send");
    for (const ExchangePlan::Range& range : plan.receive)
      nccl_.check(nccl_.Recv(static_cast<char*>(receive) + static_cast<std::size_t>(range.first) * entry,
                             static_cast<std::size_t>(range.last - range.first) * entry, ncclInt8, range.rank,
                             communicator_, stream_),
                  "Recv");
    nccl_.check(nccl_.GroupEnd(), "GroupEnd");
    TESSERA_CUDA_CHECK(cudaEventRecord(received_, stream_));
  }
  void finish() override { finish_for(exec_); }
  void finish_for(Cuda& exec) override { TESSERA_CUDA_CHECK(cudaStreamWaitEvent(exec.stream(), received_, 0)); }

 protected:
  /// Of two numbers the sum is the same in either order, so one call in place does.
  void sum_now(const std::vector<SumRange>& values) override {
    if (ranks().size() != 2) return DeviceLink::sum_now(values);
    nccl_.check(nccl_.GroupStart(), "GroupStart");
    for (const SumRange& range : values)
      nccl_.check(nccl_.AllReduce(range.first, range.first, static_cast<std::size_t>(range.count), ncclDouble, ncclSum,
                                  communicator_, exec_.stream()),
                  "AllReduce");
    nccl_.check(nccl_.GroupEnd(), "GroupEnd");
  }
  void gather(const double* mine, double* all, int size) override {
    nccl_.check(nccl_.AllGather(mine, all, static_cast<std::size_t>(size), ncclDouble, communicator_, exec_.stream()),
                "AllGather");
  }

 private:
  const Nccl& nccl_;
  ncclComm_t communicator_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t packed_ = nullptr, received_ = nullptr;
};
#endif

/// Why NCCL cannot serve this rank; empty: it can.
std::string nccl_problem() {
#ifdef TESSERA_HAVE_NCCL
  return Nccl::loaded().problem;
#else
  return "the program was built without NCCL's header";
#endif
}

/// Which device this is, for all machines together; NCCL refuses two ranks on one. Collective.
std::string device_name(Communicator& ranks) {
  int device = 0;
  char bus[32] = "";
  TESSERA_CUDA_CHECK(cudaGetDevice(&device));
  TESSERA_CUDA_CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, device));
  const int machine = first_ranks_of_machines(ranks)[static_cast<std::size_t>(ranks.rank())];
  return std::to_string(machine) + " " + bus;
}

bool share_a_device(Communicator& ranks) {
  std::array<char, 64> mine{};
  const std::string name = device_name(ranks);
  std::copy_n(name.begin(), std::min(name.size(), mine.size() - 1), mine.begin());
  const std::vector<std::array<char, 64>> all = gathered(ranks, mine);
  return std::set<std::array<char, 64>>(all.begin(), all.end()).size() < all.size();
}

}  // namespace

std::unique_ptr<Link> make_link(Cuda& exec, Communicator& ranks, std::string* why_through_host) {
  const char* const named = std::getenv("TESSERA_LINK");
  const std::string asked = first_text(ranks, named ? named : "");
  if (!asked.empty() && asked != "peer" && asked != "nccl" && asked != "host")
    throw Error(ExitCode::usage, "TESSERA_LINK = \"" + asked + "\" is none of peer, nccl, host");
  const std::string shared = share_a_device(ranks) ? "ranks share a GPU" : "";
  const auto refuse = [&asked](const std::string& problem) {
    throw Error(ExitCode::usage, "TESSERA_LINK = " + asked + " cannot be had: " + problem,
                "leave it out: ranks then take what there is");
  };
  std::string no_peers = shared;
  if (no_peers.empty() && (asked.empty() || asked == "peer"))
    if (std::unique_ptr<Link> link = make_peer_link(exec, ranks, no_peers)) return link;
  if (asked == "peer") refuse(no_peers);
  std::string no_nccl = asked == "host" ? "TESSERA_LINK asks for it" : shared;
  if (no_nccl.empty()) no_nccl = first_text(ranks, nccl_problem());
  if (asked == "nccl" && !no_nccl.empty()) refuse(no_nccl);
#ifdef TESSERA_HAVE_NCCL
  if (no_nccl.empty()) {
    if (!no_peers.empty()) log_info("vectors go through NCCL: " + no_peers);
    return std::make_unique<NcclLink>(exec, ranks);
  }
#endif
  if (why_through_host)
    *why_through_host = no_peers.empty() || no_peers == no_nccl ? no_nccl : no_peers + ", and " + no_nccl;
  return std::make_unique<StagedLink>(exec, ranks);
}

}  // namespace tessera
