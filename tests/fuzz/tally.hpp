#pragma once
// What workers, a process each, have done so far: in memory that they share.
#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace fuzz {

/// What became of the inputs of one kind.
struct KindTally {
  static constexpr std::array<int, 8> codes{0, 1, 2, 3, 4, 5, 6, 7};
  std::array<std::atomic<long>, codes.size()> ended{};  ///< runs that ended with that exit code
  std::atomic<long> otherwise{0};                       ///< with another, by a signal, or not at all
  std::atomic<long> findings{0};
  std::atomic<long> milliseconds{0};  ///< processor time of all runs
  std::atomic<long> longest{0};       ///< that of the longest

  void add(int code, long time, bool finding);
  long runs() const;
};

/// One for all workers; made before they are forked.
class Tally {
 public:
  explicit Tally(std::size_t kinds);
  ~Tally();
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  /// The number of the next execution, which no other worker has.
  long next();
  KindTally& of(std::size_t kind) { return kinds_[kind]; }
  long runs() const;
  long findings() const;
  /// A line a kind: runs, those of each exit code, findings, seconds of the processor.
  std::string table(const std::vector<std::string>& names) const;

 private:
  std::atomic<long>* next_ = nullptr;
  KindTally* kinds_ = nullptr;
  std::size_t count_ = 0, bytes_ = 0;
};

}  // namespace fuzz
