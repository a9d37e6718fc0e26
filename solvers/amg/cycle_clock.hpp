#pragma once
#include <chrono>
#include <memory>

#include "base/backend.hpp"

namespace tessera::solvers::amg {

/// How long a cycle takes. Does not wait for it, but in `seconds`.
template <class Exec>
class CycleClock;

/// The mean of all since it was made.
template <>
class CycleClock<Threads> {
  using Clock = std::chrono::steady_clock;

 public:
  void start(Threads&) { start_ = Clock::now(); }
  void stop(Threads&) {
    total_ += std::chrono::duration<double>(Clock::now() - start_).count();
    ++cycles_;
  }
  double seconds() const { return cycles_ > 0 ? total_ / cycles_ : 0; }

 private:
  Clock::time_point start_;
  double total_ = 0;
  int cycles_ = 0;
};

/// That of the last cycle which was queued as it is; while a graph is recorded there is nothing to time.
template <>
class CycleClock<Cuda> {
 public:
  CycleClock();
  ~CycleClock();
  CycleClock(CycleClock&&) noexcept;
  CycleClock& operator=(CycleClock&&) noexcept;
  void start(Cuda& exec);
  void stop(Cuda& exec);
  double seconds() const;

 private:
  struct Events;
  std::unique_ptr<Events> events_;
};

}  // namespace tessera::solvers::amg
