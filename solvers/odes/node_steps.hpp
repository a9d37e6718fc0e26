#pragma once
#include <cfloat>
#include <cmath>

#include "solvers/odes/ode_method.hpp"

namespace tessera::solvers {

// One node through a span of time with steps of its own: host-device, everything in registers or local arrays.
//
// A method is a class Step, a template on the reaction, with
//   static constexpr double rejected_exponent, accepted_exponent;
//   void begin(reaction, t, u);
//   double attempt(reaction, t, h, u, tolerance, next);
//   const double* rates() const;
//   double longest() const;
// The exponents say how a step follows from an error. `begin` forms what a step from (t, u) needs of whatever length,
// with `rates`, f(t, u), and `longest`, the longest step that is stable. `attempt` forms next = u(t + h) and returns
// its error: 1 is as large as the tolerance, NaN where it cannot be formed.

/// What became of one node.
struct NodeOutcome {
  double t = 0;  ///< that it reached
  Index steps = 0, rejected = 0;
  OdeFailure failure = OdeFailure::none;
};

/// OdeOptions, for kernels.
struct NodeOptions {
  StepTolerance tolerance;
  double first_step;
  Index most_steps;
};

/// The largest of |error_i| / (absolute + relative size_i); NaN where an error is.
TESSERA_HD inline double larger_ratio(double largest, double error, double size, const StepTolerance& tolerance) {
  const double ratio = std::abs(error) / (tolerance.absolute + tolerance.relative * size);
  return std::isnan(largest) || ratio <= largest ? largest : ratio;
}

/// A first step in which u would change by a hundredth of itself, or of the absolute tolerance where u is small.
TESSERA_HD inline double guess_first_step(int species, const double* u, const double* rates, double dt,
                                          const StepTolerance& tolerance) {
  double size = 1, speed = 0;
  for (int i = 0; i < species; ++i) {
    const double scale = tolerance.absolute + tolerance.relative * std::abs(u[i]);
    size = std::fmax(size, std::abs(u[i]) / scale);
    speed = std::fmax(speed, std::abs(rates[i]) / scale);
  }
  return speed > 0 ? std::fmin(dt, 0.01 * size / speed) : dt;
}

/// How much longer the next step is after one with this error: Numerical Computations with GPUs, section 8.2, for
/// Cash & Karp's exponents 1/4 and 1/5. An error that is not a number shortens it to a tenth.
template <class Step>
TESSERA_HD inline double step_factor(double error) {
  if (!std::isfinite(error)) return 0.1;
  if (error > 1) return std::fmax(0.1, 0.9 * std::pow(error, -Step::rejected_exponent));
  return error > 0 ? std::fmin(5.0, 0.9 * std::pow(error, -Step::accepted_exponent)) : 5.0;
}

/// u(t) -> u(t + dt), dt > 0. `memory` is the length of step to begin with, 0: to be guessed; it becomes the one to go
/// on with. The last two steps are shortened to meet the end exactly, which `memory` does not see. Where the node
/// fails, u is the state at the time of the outcome, and memory 0.
template <class Step, class Reaction>
TESSERA_HD NodeOutcome step_node(const Reaction& reaction, double t, double dt, const NodeOptions& options,
                                 double& memory, double* u) {
  const int species = reaction.species();
  Step step;
  double next[Reaction::most_species];
  NodeOutcome outcome{.t = t};
  double done = 0;  // of dt: so that short steps count where t is large
  double h = memory > 0 ? memory : options.first_step;
  step.begin(reaction, t, u);
  if (!(h > 0)) h = guess_first_step(species, u, step.rates(), dt, options.tolerance);
  for (;;) {
    const double rest = dt - done;
    const double wanted = std::fmin(h, step.longest());
    const bool last = wanted >= rest;
    const double taken = last ? rest : (wanted > 0.5 * rest ? 0.5 * rest : wanted);
    const double error = step.attempt(reaction, t + done, taken, u, options.tolerance, next);
    const double proposed = taken * step_factor<Step>(error);
    if (error <= 1) {
      for (int i = 0; i < species; ++i) u[i] = next[i];
      ++outcome.steps;
      // A step that was shortened for the end or for stability does not make the next one shorter.
      h = taken < h ? std::fmax(h, proposed) : proposed;
      if (last) {
        memory = h;
        outcome.t = t + dt;
        return outcome;
      }
      done += taken;
      outcome.t = t + done;
      step.begin(reaction, outcome.t, u);
    } else {
      ++outcome.rejected;
      h = proposed;
      // Below 16 units of the last digit of what is done, and far below anything a reaction has.
      if (!(h > 16 * DBL_EPSILON * done) || !(h > 1e-60 * dt))
        outcome.failure = std::isfinite(error) ? OdeFailure::step_too_short : OdeFailure::not_finite;
    }
    if (outcome.failure == OdeFailure::none && outcome.steps + outcome.rejected >= options.most_steps)
      outcome.failure = OdeFailure::too_many_steps;
    if (outcome.failure != OdeFailure::none) {
      memory = 0;
      return outcome;
    }
  }
}

}  // namespace tessera::solvers
