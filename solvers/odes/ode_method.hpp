#pragma once
#include <string>
#include <vector>

#include "deck/section.hpp"
#include "solvers/time/stage_ops.hpp"

namespace tessera::solvers {

/// A row of the table of methods for many small systems of ordinary differential equations, one at each node.
struct OdeMethod {
  std::string name;
  std::string help;
  int order = 0;
  bool stiff = false;     ///< whether its steps may be longer than the fastest time of the system
  int most_species = 32;  ///< what it keeps for a node grows with the square of their number
};

const std::vector<OdeMethod>& ode_methods();

/// The method of that name; throws Error(usage) with the nearest names.
const OdeMethod& find_ode_method(const std::string& name, const deck::Where& where = {});

/// How each node goes through time.
struct OdeOptions {
  std::string method = "rosenbrock";
  StepTolerance tolerance = {1e-4, 1e-9};  ///< of the error of a step, entry by entry
  double first_step = 0;                   ///< of the first call; 0: chosen from the rates at each node
  Index most_steps = 100000;               ///< of a node in a call, rejected ones included
  deck::Where where = {};                  ///< of the method's name in the deck

  /// Throws Error(usage) in words: unknown methods, and numbers without a meaning.
  void check() const;
};

/// Why a node stopped before the end.
enum class OdeFailure : int {
  none,
  not_finite,      ///< the state or its rates are infinite or NaN, however short the step
  step_too_short,  ///< steps fell below the last digits of t
  too_many_steps,  ///< OdeOptions::most_steps
};

/// What became of all nodes in a call. Failing is reported here, never thrown.
struct OdeReport {
  Offset steps = 0;           ///< done, of all nodes
  Offset rejected = 0;        ///< taken back, of all nodes
  Index most_steps = 0;       ///< done and rejected by the node that had most
  Offset failed = 0;          ///< nodes that did not reach the end; their state is that of their last step
  Offset first_failed = -1;   ///< the first of them
  double first_failed_t = 0;  ///< how far it came
  std::string failure;        ///< empty, or a sentence: how many nodes failed, which first, when, why, what may help
};

}  // namespace tessera::solvers
