#pragma once
#include "physics/scalar/params.hpp"

namespace tessera::physics::heat {

/// Materials have the conductivity as diffusivity.
struct Params : scalar::Params {
  bool lumped = false;
  std::vector<deck::Expression> capacity;  ///< [materials] density times heat capacity
};

deck::SectionDescription physics_description();
deck::SectionDescription material_description();
/// [physics], [[material]] and [[boundary]].
void read(const deck::Deck& deck, Params& params);

}  // namespace tessera::physics::heat
