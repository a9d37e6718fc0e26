#pragma once
#include <string>

#include "physics/sections.hpp"

namespace tessera::physics {

/// Throws Error(usage) where steps of one length, which `what` names, are too many to count from the start to the end
/// of [time], or too short to move t.
void check_step_count(const TimeParams& params, double step, const std::string& what, const deck::Where& where);

/// The same of steps that follow from time.cfl.
void check_chosen_step(const TimeParams& params, double step);

}  // namespace tessera::physics
