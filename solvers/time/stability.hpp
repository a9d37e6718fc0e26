#pragma once
#include "solvers/time/stepper.hpp"

namespace tessera::solvers {

/// The largest z for which a step of an explicit scheme of length dt is stable for u' = -lambda u with lambda dt <= z:
/// the end of the real interval of absolute stability, Hairer & Wanner II, section IV.2. Found by steps of the scheme
/// itself. Throws as make_stepper.
double real_stability_limit(const StepperParams& params);

/// The same for u'' = -omega^2 u as two equations of first order: steps with omega dt <= z are stable. The end of the
/// imaginary interval; 0: there is none.
double imaginary_stability_limit(const StepperParams& params);

}  // namespace tessera::solvers
