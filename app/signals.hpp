#pragma once
#include "base/error.hpp"

namespace tessera::app {

/// While it lives, SIGINT and SIGTERM ask the run to stop instead of ending the program. A second one ends it at once.
class StopOnSignals {
 public:
  StopOnSignals();
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;

  static bool asked();
  /// ok, interrupted (130) or terminated (143).
  static ExitCode exit_code();
};

}  // namespace tessera::app
