#pragma once
#include <functional>
#include <string>
#include <vector>

namespace tessera::solvers {

/// What a solver did. Not converging is reported here, never thrown.
struct Report {
  std::string type;
  std::string preconditioner;
  std::string precision = "double";  ///< double | float | mixed
  std::string method;                ///< of direct solvers on grids: the variant that was taken
  int iterations = 0;            ///< done, those after the tolerance was met included (CUDA looks every `check_every`)
  int residuals = 0;             ///< how often b - A x was recomputed after the first time
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
};

/// Lets the caller watch and stop a solver. Either may be empty.
struct Monitor {
  std::function<void(int iteration, double relative_residual)> progress;
  std::function<bool()> stop;
};

}  // namespace tessera::solvers
