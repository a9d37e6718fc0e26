#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/communicator.hpp"
#include "base/mpi/entry.hpp"

namespace tessera {
namespace {

/// MPI counts in int: what is longer goes in parts.
constexpr std::size_t longest_message = std::size_t{1} << 30;

/// How long a rank that waits keeps its core, and until when it only lets others go first, which it does from the start
/// where ranks share cores; then it sleeps in between, for a fiftieth of what it has waited so far. MPI's own calls
/// that wait keep the core to the end. On two cores 3,400 iterations of BiCGStab of 36 rows took 4 ranks 0.7 s, and 1.6
/// beside another such run; with sleeps of 50 us and the slack that Linux gives them, another 50, 6.9 and 7.6 (27
/// November 2026).
constexpr auto keeping = std::chrono::microseconds(50);
constexpr auto yielding = std::chrono::milliseconds(2);
constexpr auto yielding_of_shared = std::chrono::microseconds(500);
constexpr std::chrono::nanoseconds shortest_sleep = std::chrono::microseconds(10),
                                   longest_sleep = std::chrono::milliseconds(1);

/// Whether ranks of this machine wait for each other's cores: those that may use cores of this one have fewer in all
/// than one each. Collective.
bool shares_cores(MPI_Comm machine, int ranks) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  (void)sched_getaffinity(0, sizeof mine, &mine);  // none where it is not known
  std::vector<cpu_set_t> of_all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, of_all.data(), sizeof mine, MPI_BYTE, machine);
  cpu_set_t together;
  CPU_ZERO(&together);
  int sharing = 0;
  for (const cpu_set_t& other : of_all) {
    cpu_set_t common;
    CPU_AND(&common, &mine, &other);
    if (CPU_COUNT(&common) == 0) continue;
    CPU_OR(&together, &together, &other);
    ++sharing;
  }
  return CPU_COUNT(&together) < sharing;
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm_dup(MPI_COMM_WORLD, &failures_);
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &size_);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &rank_on_machine_);
    MPI_Comm_size(machine, &size_of_machine_);
    shares_cores_ = shares_cores(machine, size_of_machine_);
    MPI_Comm_free(&machine);
    (void)prctl(PR_SET_TIMERSLACK, 1000UL);  // ns: sleeps of this thread, which waits, and of those it makes
  }
  ~MpiCommunicator() override {
    MPI_Comm_free(&all_);
    MPI_Comm_free(&failures_);
    MPI_Finalize();
  }

  void barrier() override {
    complete([&](MPI_Request* request) { MPI_Ibarrier(all_, request); });
  }

  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    const int count = static_cast<int>(bytes);
    complete([&](MPI_Request* request) { MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, all_, request); });
  }

  void broadcast(int root, void* data, std::size_t bytes) override {
    each_part(data, bytes, [&](char* part, int count) {
      complete([&](MPI_Request* request) { MPI_Ibcast(part, count, MPI_BYTE, root, all_, request); });
    });
  }

  std::vector<Bytes> exchange(std::vector<Bytes> to) override {
    std::vector<std::uint64_t> mine, theirs(to.size());
    for (const Bytes& bytes : to) mine.push_back(bytes.size());
    complete([&](MPI_Request* request) {
      MPI_Ialltoall(mine.data(), 1, MPI_UINT64_T, theirs.data(), 1, MPI_UINT64_T, all_, request);
    });
    std::vector<Bytes> from(to.size());
    std::vector<Piece> send, receive;
    for (std::size_t r = 0; r < to.size(); ++r) {
      from[r].resize(theirs[r]);
      send.push_back({static_cast<int>(r), to[r].data(), to[r].size()});
      receive.push_back({static_cast<int>(r), from[r].data(), from[r].size()});
    }
    start(send, receive);
    finish();
    return from;
  }

  void start(std::span<const Piece> send, std::span<const Piece> receive) override {
    for (const Piece& piece : receive)
      each_part(piece.data, piece.bytes, [&](char* part, int count) {
        MPI_Irecv(part, count, MPI_BYTE, piece.rank, 0, all_, &requests_.emplace_back());
      });
    for (const Piece& piece : send)
      each_part(piece.data, piece.bytes, [&](char* part, int count) {
        MPI_Isend(part, count, MPI_BYTE, piece.rank, 0, all_, &requests_.emplace_back());
      });
  }
  void finish() override {
    wait(requests_);
    requests_.clear();
  }

  bool all_failed(double seconds) override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(failures_, &request);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    int all = 0;
    do {
      MPI_Test(&request, &all, MPI_STATUS_IGNORE);
      if (!all) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } while (!all && std::chrono::steady_clock::now() < end);
    return all != 0;
  }

  [[noreturn]] void abort(int code) override {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

 private:
  /// What begin(request) starts, to its end.
  template <class Begin>
  void complete(Begin begin) {
    collective_.assign(1, MPI_REQUEST_NULL);
    begin(collective_.data());
    wait(collective_);
  }
  void wait(std::span<MPI_Request> requests) const {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    for (;;) {
      int done = 0;
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
      if (done) return;
      const auto waited = Clock::now() - start;
      if (waited > (shares_cores_ ? yielding_of_shared : yielding))
        std::this_thread::sleep_for(std::clamp<std::chrono::nanoseconds>(waited / 50, shortest_sleep, longest_sleep));
      else if (shares_cores_ || waited > keeping)
        sched_yield();
    }
  }
  template <class Visit>
  static void each_part(void* data, std::size_t bytes, Visit visit) {
    for (std::size_t first = 0; first < bytes; first += longest_message)
      visit(static_cast<char*>(data) + first, static_cast<int>(std::min(longest_message, bytes - first)));
  }

  MPI_Comm all_ = MPI_COMM_NULL;
  MPI_Comm failures_ = MPI_COMM_NULL;  ///< apart from what the others may be waiting in
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Request> collective_;
  bool shares_cores_ = false;
};

}  // namespace
}  // namespace tessera

extern "C" tessera::Communicator* tessera_start_mpi() { return new tessera::MpiCommunicator; }

extern "C" const char* tessera_mpi_version() {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return text;
}
