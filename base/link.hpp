#pragma once
#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "base/backend.hpp"
#include "base/communicator.hpp"

namespace tessera {

struct PeerSums;
struct PeerArrival;

/// Sums that lie one after the other, where the vectors of an execution live.
struct SumRange {
  double* first = nullptr;
  int count = 1;
};

/// What a rank sends to others and receives from them, as ranges of two packed buffers of entries; at most one range of
/// each for a rank.
struct ExchangePlan {
  struct Range {
    int rank = 0;
    Offset first = 0, last = 0;
  };
  std::vector<Range> send, receive;
  int place = -1;  ///< what `Link::prepare` has made for it
};

/// How ranks share vectors of one execution space: while an execution has one, vectors are spread over ranks, each with
/// rows of its own, and the operations of linalg/ that form sums form those over all ranks. All ranks call it alike.
class Link {
 public:
  virtual ~Link() = default;
  Communicator& ranks() const { return ranks_; }
  /// "mpi", "peer memory" ...: for the summary.
  virtual const char* name() const = 0;

  /// Each sum becomes that over all ranks, added in their order, so that it is the same on all of them and in every
  /// run. Queued where the vectors live; the host does not wait for it.
  void sum(std::initializer_list<SumRange> values);
  /// While `defer` is on, sums wait for the first that comes after it is off, and go with it; or for `flush`.
  void defer(bool on) { deferred_ = on; }
  void flush();
  /// With which a kernel forms the next sum itself, where the link can do that and no other sum waits; or nullptr.
  const PeerSums* sums_in_kernels() const { return deferred_ || !waiting_.empty() ? nullptr : peer_sums(); }

  /// Before the first exchange of this plan; `entry`: the bytes of its largest entries. Collective.
  virtual void prepare(ExchangePlan& plan, std::size_t entry) { (void)plan, (void)entry; }
  /// Starts an exchange of entries of so many bytes, a multiple of 4. `send` is packed and stays until `finish`;
  /// `receive` is filled after `finish`, for what is queued after it. Work that is queued between both does not wait
  /// for other ranks.
  virtual void start(const ExchangePlan& plan, const void* send, void* receive, std::size_t entry) = 0;
  virtual void finish() = 0;
  /// The same for what is queued in an execution beside that of the link (aside.hpp). This one is for links that wait
  /// on the host.
  virtual void finish_for(Cuda& exec) { (void)exec, finish(); }
  void finish_for(Threads&) { finish(); }
  /// The same of x[rows[k]] in place of entry k of `send`, with entries of 4 or 8 bytes, queued in an execution that
  /// may be beside that of the link; what is queued there afterwards may change x. False: it does not do that.
  virtual bool start_gathered(Cuda& exec, const ExchangePlan& plan, const void* x, const Index* rows, void* receive,
                              std::size_t entry) {
    (void)exec, (void)plan, (void)x, (void)rows, (void)receive, (void)entry;
    return false;
  }
  bool start_gathered(Threads&, const ExchangePlan&, const void*, const Index*, void*, std::size_t) { return false; }
  /// In place of `finish`, for a kernel that is queued next, waits itself and reads what has come where others wrote it
  /// (peer_kernels.cuh); or nullptr: the link does not do that.
  virtual const PeerArrival* finish_in_kernel() { return nullptr; }
  /// Whether a CUDA graph can record it.
  virtual bool recordable() const { return true; }

 protected:
  explicit Link(Communicator& ranks) : ranks_(ranks) {}
  virtual void sum_now(const std::vector<SumRange>& values) = 0;
  virtual const PeerSums* peer_sums() const { return nullptr; }
  static int count(const std::vector<SumRange>& values);
  /// Whether it ends with its work done. Where an error of this rank alone ends it, the others may be in the middle of
  /// a sum: then there is nothing to be done together.
  bool ends_in_order() const { return std::uncaught_exceptions() <= uncaught_; }

 private:
  Communicator& ranks_;
  const int uncaught_ = std::uncaught_exceptions();
  bool deferred_ = false;
  std::vector<SumRange> waiting_;
};

/// On threads MPI itself. On CUDA, where every rank has a device of its own: memory of GPUs that others write into,
/// where they can; or NCCL where it can be loaded (TESSERA_NCCL names another library than libnccl.so.2); or else MPI
/// through pinned host memory, and `why_through_host` says why. TESSERA_LINK=peer, nccl or host takes one of them or
/// throws Error(usage).
std::unique_ptr<Link> make_link(Threads& exec, Communicator& ranks, std::string* why_through_host = nullptr);
std::unique_ptr<Link> make_link(Cuda& exec, Communicator& ranks, std::string* why_through_host = nullptr);

/// Makes sums over the ranks of sums that this rank has formed of its rows; nothing where there are no others.
template <class Exec>
void sum_over_ranks(const Exec& exec, std::initializer_list<SumRange> values) {
  if (exec.link()) exec.link()->sum(values);
}

/// A text that at least one rank has, for all of them; empty: none has one.
template <class Exec>
std::string on_any_rank(const Exec& exec, const std::string& text) {
  return exec.link() ? first_text(exec.link()->ranks(), text) : text;
}

/// While it lives, the execution has this link; nullptr: it works for this rank alone.
template <class Exec>
class Linked {
 public:
  Linked(Exec& exec, Link* link) : exec_(exec), before_(exec.link()) { exec_.set_link(link); }
  ~Linked() { exec_.set_link(before_); }
  Linked(const Linked&) = delete;

 private:
  Exec& exec_;
  Link* before_;
};

}  // namespace tessera
