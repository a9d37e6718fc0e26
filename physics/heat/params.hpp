#pragma once
#include "physics/scalar/params.hpp"

namespace tessera::physics::heat {

/// Materials have the conductivity as diffusivity. A boundary that radiates is a neumann boundary whose value depends
/// on u.
struct Params : scalar::Params {
  bool lumped = false;
  std::vector<deck::Expression> capacity;               ///< [materials] density times heat capacity
  std::vector<std::vector<deck::Expression>> velocity;  ///< [materials], one component an axis; empty: 0
};

deck::SectionDescription physics_description();
deck::SectionDescription material_description();
deck::SectionDescription boundary_description();
/// [physics], [[material]] and [[boundary]].
void read(const deck::Deck& deck, Params& params);

}  // namespace tessera::physics::heat
