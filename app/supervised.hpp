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
  enum class Input { none, standard };
  struct InPlace {
    int code = 0;     ///< as above, or 128 + the signal that has ended both
    int asked = 0;    ///< the signal that this one was to end by; 0: none
    int failure = 0;  ///< the number of the system's error where it cannot be started
  };
  /// Runs a program that stands for this one to its end: with its output, and no longer than it lives. Where this one
  /// is to end, that one hears of it once: within a second where it has not ended by itself, as one does that was
  /// signalled, too, and at once where a terminal asks, as that reaches this one alone. Its end is waited for. Both
  /// stop where a terminal stops this one. Of standard input it has none or all: a launcher reads ahead.
  InPlace run_in_place(std::vector<std::string> words, Input input) const;
  /// Throws the same where this program is to end.
  void check() const;

 private:
  int waiting() const;  ///< a signal that has come, 0 or below where none has

  sigset_t waited_for_, before_;
  struct sigaction of_children_;
};

}  // namespace tessera::app
