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
  double relative_residual = 0;  ///< ||b - A x|| / ||b||, computed from x at the end
  double backward_error = 0;     ///< of direct solvers on grids: ||b - A x|| / (||A|| ||x|| + ||b||)
  bool converged = false;
  bool interrupted = false;  ///< Monitor::stop asked for it
  std::string failure;       ///< empty, or a sentence: what went wrong and what may help
  std::vector<double>
      history;  ///< relative residual before the first iteration and after each, as the recurrence has it
};

/// Lets the caller watch and stop a solver. Either may be empty.
struct Monitor {
  std::function<void(int iteration, double relative_residual)> progress;
  std::function<bool()> stop;
};

}  // namespace tessera::solvers
