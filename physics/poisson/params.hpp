#pragma once
#include "physics/scalar/params.hpp"

namespace tessera::physics::poisson {

using namespace scalar;  // the module adds an operator of its own, and a grid's right-hand side, to what scalar/ has

deck::SectionDescription physics_description();
deck::SectionDescription material_description();
/// Reads [physics], [[material]] and [[boundary]].
void read(const deck::Deck& deck, Params& params);

}  // namespace tessera::physics::poisson
