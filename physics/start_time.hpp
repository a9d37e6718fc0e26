#pragma once
#include <vector>

#include "physics/sections.hpp"

namespace tessera::physics {

/// Throws Error(usage) where a first state depends on t and the deck does not say at which time it is: t is then 0, and
/// whoever wrote it meant something else.
void check_start(const std::vector<deck::Expression>& first, const TimeParams& time);

}  // namespace tessera::physics
