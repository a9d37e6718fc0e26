#pragma once
#include "base/error.hpp"

namespace tessera::app {

/// While it lives, SIGINT and SIGTERM are acknowledged at once and ask the run to stop. Where it does not stop by
/// itself within `patience` seconds, in a factorisation say, the signal handler removes what was written, writes
/// the last words and ends the program. A second signal does so at once. Of a rank the signal may come from the
/// launcher, which ends all ranks where one has ended, or where it was stopped itself: then it is said so.
class StopOnSignals {
 public:
  static constexpr double patience = 0.5;
  /// What is said of a rank that its launcher ends. Ranks that stop together are interrupted: none of them is gone.
  static constexpr const char* ended_by_launcher =
      "ended by the launcher: another rank has ended, or the launcher was stopped";

  StopOnSignals();
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;

  static bool asked();
  /// ok, interrupted (130) or terminated (143).
  static ExitCode exit_code();

  /// The run is over: signals change nothing from here on.
  static void finish();
};

}  // namespace tessera::app
