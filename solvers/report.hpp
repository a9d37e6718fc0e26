#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace tessera::solvers {

/// A level of a multigrid preconditioner.
struct MultigridLevel {
  Index rows = 0;
  Offset entries = 0;  ///< of its matrix
};
/// What a multigrid preconditioner has to say of itself; no levels: there was none.
struct MultigridReport {
  std::vector<MultigridLevel> levels = {};  ///< the finest first
  double set_up_seconds = 0;                ///< of the last set-up
  double cycle_seconds = 0;                 ///< of one cycle: on CUDA of the last that was not part of a graph; 0: none

  /// Entries of all levels over those of the finest.
  double operator_complexity() const {
    double sum = 0;
    for (const MultigridLevel& level : levels) sum += static_cast<double>(level.entries);
    return levels.empty() || levels[0].entries == 0 ? 1 : sum / static_cast<double>(levels[0].entries);
  }
};

/// What a solver did. Not converging is reported here, never thrown.
struct Report {
  std::string type;
  std::string preconditioner;
  std::string precision = "double";  ///< double | float | mixed
  std::string method;                ///< of direct solvers on grids: the variant that was taken
  int iterations = 0;  ///< done, those after the tolerance was met included (CUDA looks every `check_every`, and may be
                       ///< one look ahead)
  int residuals = 0;   ///< how often b - A x was recomputed after the first time
  double relative_residual = 0;  ///< ||b - A x|| / reference, computed from x at the end
  double reference = 0;          ///< what residuals are relative to: reference_norm at the solution
  double backward_error =
      0;  ///< ||b - A x|| / (||A x||, at most, + ||b||) where it was asked for; see docs/methods/krylov.md
  double energy_error = 0;           ///< of cg: estimate of sqrt((e, A e)), e the error; 0: none
  double relative_energy_error = 0;  ///< the same in proportion to sqrt((y, A y)), y what the solver found
  bool converged = false;
  bool interrupted = false;  ///< Monitor::stop asked for it
  std::string failure;       ///< empty, or a sentence: what went wrong and what may help
  std::vector<double>
      history;  ///< residual over `reference` before the first iteration and after each, as the recurrence has it
  MultigridReport multigrid;
};

/// Lets the caller watch and stop a solver. Either may be empty. A solver that is told to stop does so, once it has
/// done what it has queued.
struct Monitor {
  std::function<void(int iteration, double relative_residual)> progress;
  std::function<bool()> stop;
  double tolerance = 0;  ///< of this solve by iterations, where it is larger than that of the solver
};

}  // namespace tessera::solvers
