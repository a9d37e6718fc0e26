#pragma once
#include "base/error.hpp"

namespace tessera::app {

/// While it lives, SIGINT and SIGTERM are acknowledged at once and ask the run to stop. Where it does not stop by
/// itself within `patience` seconds, in a factorisation say, the signal handler removes what was written, writes
/// the last words and ends the program. A second signal does so at once.
class StopOnSignals {
 public:
  static constexpr double patience = 0.5;

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
