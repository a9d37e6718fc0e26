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

/// The length of steps of the leapfrog that are stable for beta K v, taken of the velocity half a step before, where
/// steps of `longest` = 2 / omega are without it: omega^2 (dt^2 + 2 beta dt) <= 4. T. Belytschko, W. K. Liu & B. Moran,
/// Nonlinear Finite Elements for Continua and Structures, section 6.2.
double damped_leap(double longest, double beta);

/// The longest steps that are stable for u'' = -omega^2 (u + beta u') with all omega up to `highest`, 64 of which are
/// looked at.
double damped_stability_limit(const StepperParams& params, double highest, double beta);

}  // namespace tessera::solvers
