#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/communicator.hpp"
#include "base/mpi/entry.hpp"

namespace tessera {
namespace {

/// MPI counts in int: what is longer goes in parts.
constexpr std::size_t longest_message = std::size_t{1} << 30;

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
    MPI_Comm_free(&machine);
  }
  ~MpiCommunicator() override {
    MPI_Comm_free(&all_);
    MPI_Comm_free(&failures_);
    MPI_Finalize();
  }

  void barrier() override { MPI_Barrier(all_); }

  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    const int count = static_cast<int>(bytes);
    MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, all_);
  }

  void broadcast(int root, void* data, std::size_t bytes) override {
    each_part(data, bytes, [&](char* part, int count) { MPI_Bcast(part, count, MPI_BYTE, root, all_); });
  }

  std::vector<Bytes> exchange(std::vector<Bytes> to) override {
    std::vector<std::uint64_t> mine, theirs(to.size());
    for (const Bytes& bytes : to) mine.push_back(bytes.size());
    MPI_Alltoall(mine.data(), 1, MPI_UINT64_T, theirs.data(), 1, MPI_UINT64_T, all_);
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
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
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
  template <class Visit>
  static void each_part(void* data, std::size_t bytes, Visit visit) {
    for (std::size_t first = 0; first < bytes; first += longest_message)
      visit(static_cast<char*>(data) + first, static_cast<int>(std::min(longest_message, bytes - first)));
  }

  MPI_Comm all_ = MPI_COMM_NULL;
  MPI_Comm failures_ = MPI_COMM_NULL;  ///< apart from what the others may be waiting in
  std::vector<MPI_Request> requests_;
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
