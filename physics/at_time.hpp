#pragma once
// What a deck says at a time: t is a number in its expressions.
#include "physics/sections.hpp"

namespace tessera::physics {

/// Throws Error(usage) where nothing but t is in an expression and it has no value.
deck::Expression at_time(const deck::Expression& expression, double t);
ExactParams at_time(ExactParams exact, double t);

}  // namespace tessera::physics
