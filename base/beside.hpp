#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace tessera {

/// Work that one thread of its own does beside whoever hands it over, one piece after the other in their order: files
/// are written so while a run goes on. Loops of the work run on that thread alone, the team is the caller's; where it
/// is `free_team`, for a device computes, loops have it where they say how many threads they take. The
/// profile, the log and warnings are no place for it. Where the system starts no thread the caller does the work at
/// once.
class Beside {
 public:
  /// `most_waiting`: pieces that are kept beside the one that is being done; so memory is bounded.
  explicit Beside(std::size_t most_waiting, bool free_team = false)
      : most_waiting_(most_waiting), free_team_(free_team) {}
  /// Does what was handed over; what that throws is lost: whoever wants to know calls `finish`.
  ~Beside();
  Beside(const Beside&) = delete;

  /// Waits while as many pieces wait as may. Throws what an earlier piece has thrown; pieces behind that one are not
  /// done any more.
  void hand_over(std::function<void()> work);
  /// Returns when everything is done. Throws what a piece has thrown.
  void finish();

  /// Of the callers of both functions above, and of the work. On any thread.
  double seconds_waited() const;
  double seconds_worked() const;

 private:
  void start();
  void attend();
  void run(const std::function<void()>& work);
  void wait(std::unique_lock<std::mutex>& lock, const std::function<bool()>& until);

  std::size_t most_waiting_;
  bool free_team_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool working_ = false, ends_ = false, has_started_ = false;
  std::exception_ptr failure_;
  double worked_ = 0, waited_ = 0;
  std::thread thread_;
};

}  // namespace tessera
