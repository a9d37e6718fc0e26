#pragma once
#include <chrono>
#include <string>

namespace tessera::app {

/// Shows how far a run is: a bar with the time left on a terminal, one line now and then elsewhere. Writes to stderr.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;

  /// fraction in [0, 1], below 0 where it is not known.
  void operator()(double fraction, const std::string& what);
  /// Clears the bar, so that other output starts on a clean line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_, terminal_, shown_ = false;
  Clock::time_point start_ = Clock::now(), last_{};
};

}  // namespace tessera::app
