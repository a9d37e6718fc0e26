#pragma once
#include <signal.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::app {

/// Programs that this one starts and that end with it. While it lives, SIGINT, SIGTERM and SIGHUP wait until they are
/// looked for: so that what was made is taken away. Threads that are made meanwhile leave them alone, too. One that is
/// ignored, as nohup has it, stays so.
class Supervised {
 public:
  Supervised();
  ~Supervised();
  Supervised(const Supervised&) = delete;

  /// Runs a program to its end, what it says in a file; its exit code, 128 + signal where it died of one, -1 where it
  /// cannot be started. Where this one is to end, it ends that first, as does whatever that has started and ends in
  /// turn, and throws Error(interrupted) or Error(terminated).
  int run(std::vector<std::string> words, const std::filesystem::path& log) const;
  /// Runs a program that stands for this one to its end: with its standard files, among its processes, and no longer
  /// than it lives. Where this one is to end, that one hears of it, unless a terminal has told both, and its end is
  /// waited for. Its exit code as above, or 128 + the signal that has ended both.
  int run_in_place(std::vector<std::string> words) const;
  /// Throws the same where this program is to end.
  void check() const;

 private:
  sigset_t waited_for_, before_;
  struct sigaction of_children_;
};

}  // namespace tessera::app
