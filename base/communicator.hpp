#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// The ranks of a run: processes that `mpirun` or `srun` started, each with a part of the problem. What goes through it
/// is host memory: numbers, messages, parts of a mesh. Vectors on a backend go through a Link (base/link.hpp). Every
/// function but rank(), size(), those of the machine and abort() is collective: all ranks call it in one order.
///
/// A run of one rank has the one that `alone` makes, which copies or does nothing. The one of MPI lives in a library of
/// its own, libtessera_mpi.so beside the program, which a run of one rank never loads.
// All of it is inline, so that the library needs nothing of the program.
class Communicator {
 public:
  /// A piece of memory that goes to a rank or comes from it.
  struct Piece {
    int rank = 0;
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  using Bytes = std::vector<char>;

  virtual ~Communicator() = default;
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }
  /// Among the ranks of this machine.
  int rank_on_machine() const { return rank_on_machine_; }
  int size_of_machine() const { return size_of_machine_; }

  virtual void barrier() {}
  /// all [size, bytes] in the order of ranks.
  virtual void all_gather(const void* mine, std::size_t bytes, void* all) { std::memcpy(all, mine, bytes); }
  virtual void broadcast(int root, void* data, std::size_t bytes) { (void)root, (void)data, (void)bytes; }
  /// to [size]: what each rank gets. Returns what each has sent here.
  virtual std::vector<Bytes> exchange(std::vector<Bytes> to) { return to; }
  /// Starts to send and to receive; what is received is there after `finish`. Only one exchange is under way at a time.
  virtual void start(std::span<const Piece> send, std::span<const Piece> receive) { (void)send, (void)receive; }
  virtual void finish() {}
  /// For ranks that have failed: whether all have, within so many seconds.
  virtual bool all_failed(double seconds) {
    (void)seconds;
    return true;
  }
  /// Ends all ranks with this code, wherever they are.
  [[noreturn]] virtual void abort(int code) { std::_Exit(code); }

 protected:
  int rank_ = 0, size_ = 1, rank_on_machine_ = 0, size_of_machine_ = 1;
};

/// One rank alone.
Communicator& alone();

/// Whether a launcher started this process as one of several ranks; reads its environment variables.
bool is_launched_as_rank();

/// The ranks of this run, from the library of MPI, for the rest of the process's life. Throws Error(usage) where that
/// library or MPI itself cannot be loaded.
std::unique_ptr<Communicator> start_mpi();

/// Of every rank, in their order.
template <class T>
std::vector<T> gathered(Communicator& ranks, const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(ranks.size()));
  ranks.all_gather(&mine, sizeof(T), all.data());
  return all;
}
std::int64_t sum(Communicator& ranks, std::int64_t mine);
double minimum(Communicator& ranks, double mine);
double maximum(Communicator& ranks, double mine);
/// Whether it holds on any rank.
bool any(Communicator& ranks, bool mine);
/// That of the lowest rank that has one; empty: none has.
std::string first_text(Communicator& ranks, const std::string& mine);

}  // namespace tessera
