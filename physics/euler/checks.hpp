#pragma once
#include "deck/deck.hpp"
#include "physics/euler/params.hpp"

namespace tessera::physics::euler {

/// Throws Error(usage), with the place, where keys of a deck of gases contradict each other, say nothing, or ask for
/// what is not there.
void check(const deck::Deck& deck, const Params& params);

}  // namespace tessera::physics::euler
