#pragma once
// [time] as the schemes of solvers/time/ take it.
#include "physics/sections.hpp"
#include "solvers/time/stepper.hpp"

namespace tessera::physics {

bool is_implicit(const TimeParams& params);
/// Throws Error(usage) where an explicit scheme meets a mass that is no diagonal, or numbers that are not double. Says
/// where [solver] has no effect on one, and where its tolerance is too near to that of an implicit scheme's steps.
/// `implicit`: a scheme to name as the way out.
void check_explicit(const CommonParams& params, bool lumped, const std::string& implicit);
/// Of an explicit scheme. Throws Error(usage) for a tableau whose sizes do not agree.
solvers::StepperParams stepper_params(const TimeParams& params);
/// Throws Error(usage) where there is no tolerance.
solvers::StepTolerance step_tolerance(const TimeParams& params);

}  // namespace tessera::physics
