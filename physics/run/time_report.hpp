#pragma once
#include <optional>
#include <string>

#include "output/summary.hpp"
#include "physics/sections.hpp"
#include "solvers/report.hpp"

namespace tessera::physics {

/// What nodes did by themselves, where steps are split.
struct SplitReport {
  std::string scheme, method;
  Offset steps = 0, rejected = 0;  ///< of all nodes
  Index most_steps = 0;            ///< of the node that had most in a part of a step, rejected ones included
};

/// What became of a run through time.
struct TimeReport {
  bool finished = false;
  bool interrupted = false;
  double t = 0;                   ///< of the last state
  Offset step = 0;                ///< its number, from the start of the run, wherever it was gone on with
  double dt_min = 0, dt_max = 0;  ///< of steps that were done
  bool has_values = true;         ///< the last state is finite
  std::string failure, help;      ///< empty, or why it did not come to its end

  // Of implicit schemes.
  Offset systems = 0;      ///< that were solved
  Offset iterations = 0;   ///< of all systems
  Offset matrices = 0;     ///< that were made
  Offset set_ups = 0;      ///< of preconditioners that were made for a matrix, and not filled anew
  solvers::Report linear;  ///< of the last system

  Offset rejected = 0;  ///< steps whose error was too large

  // Of explicit schemes.
  Offset evaluations = 0;
  double stable_step = 0;  ///< the longest; 0: not looked for

  std::optional<SplitReport> split;
};

/// Fills "time" of the summary.
void summarise_time(const TimeParams& params, const TimeReport& report, output::Summary& summary);

}  // namespace tessera::physics
