#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/array.hpp"

struct CUstream_st;

namespace tessera {

class Link;

/// Executes on the host's cores on the threads of base/team.hpp. Results do not depend on the number of threads.
class Threads {
 public:
  using Space = Host;
  static constexpr const char* name = "threads";

  /// `count` = 0: all cores available to the process.
  explicit Threads(int count = 0);
  int count() const { return count_; }
  void synchronize() const {}

  /// How ranks share vectors: see base/link.hpp. nullptr: there are no other ranks, or none that matter.
  Link* link() const { return link_; }
  void set_link(Link* link) { link_ = link; }

 private:
  int count_;
  Link* link_ = nullptr;
};

/// Executes on one CUDA device, in one stream. Declared in every build; usable where the toolkit was found.
class Cuda {
 public:
  using Space = Device;
  static constexpr const char* name = "cuda";

  /// On the process's device: the first, or see take_cuda_device. Throws Error(usage) when the program was built
  /// without CUDA or no device answers.
  Cuda();
  ~Cuda();
  Cuda(Cuda&&) noexcept;
  Cuda(const Cuda&) = delete;

  CUstream_st* stream() const;
  void synchronize() const;
  int multiprocessors() const;
  const std::string& device_name() const;
  /// Scratch of at least `bytes` for reductions, zeroed counters first; owned by this object.
  void* scratch(std::size_t bytes);

  /// How ranks share vectors: see base/link.hpp. nullptr: there are no other ranks, or none that matter.
  Link* link() const { return link_; }
  void set_link(Link* link) { link_ = link; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  Link* link_ = nullptr;
};

/// What `tessera doctor` and the choice of backend look at.
struct CudaInfo {
  bool compiled = false;  ///< built with the toolkit
  bool usable = false;    ///< the process's device answers
  std::string device;     ///< its name
  int devices = 0;        ///< that this process sees
  std::string why_not;    ///< a sentence when not usable
  int driver = 0;         ///< e.g. 13000
  int runtime = 0;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
};
CudaInfo cuda_info();

/// Bytes of shared memory that a block of threads may have on the process's device; 0: no device answers.
std::size_t shared_of_block();

/// Of the processes on one machine each takes the next device, before anything else asks for one: its memory is then
/// used on no other.
void take_cuda_device(int process_on_machine);
/// The process's device, from 0.
int cuda_device();

/// Sums `items` results in chunks of this many, independent of the number of threads, so that sums are repeatable.
inline constexpr Offset reduce_chunk = 4096;

/// Calls `run(exec)` with the backend named "threads" or "cuda"; "auto" takes cuda where it is usable.
/// Throws Error(usage) for another name, or for cuda where there is none.
std::string resolve_backend(const std::string& asked);

template <class Run>
decltype(auto) with_backend(const std::string& asked, int threads, Run&& run) {
  if (resolve_backend(asked) == "cuda") {
#ifdef TESSERA_HAVE_CUDA
    Cuda exec;
    return run(exec);
#endif
  }
  Threads exec(threads);
  return run(exec);
}

}  // namespace tessera
