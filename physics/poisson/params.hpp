#pragma once
#include "physics/scalar/params.hpp"

namespace tessera::physics::poisson {

using namespace scalar;  // the module adds an operator of its own, and a grid's right-hand side, to what scalar/ has

deck::Schema schema();
/// Reads and checks everything that can be checked without the mesh.
Params read(const deck::Deck& deck);

}  // namespace tessera::physics::poisson
