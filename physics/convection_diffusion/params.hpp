#pragma once
#include <string>
#include <vector>

#include "physics/scalar/params.hpp"

namespace tessera::physics::convection_diffusion {

using namespace scalar;  // the module adds a velocity to what scalar/ has

/// A whole deck of the module.
struct Params : scalar::Params {
  std::vector<std::vector<deck::Expression>> velocity;  ///< of each material, one component an axis; empty: 0

  bool on_grid() const { return physics.discretisation == "finite_difference"; }
  bool supg() const { return physics.discretisation == "supg"; }
  /// Whether [solver] names a relaxation: solvers/grid/lmsor.hpp.
  bool relaxes() const { return solvers::is_relaxation(solver); }
  bool upwind() const { return physics.discretisation == "upwind"; }
};

deck::SectionDescription physics_description();
deck::SectionDescription material_description();
/// Reads [physics], [[material]] and [[boundary]].
void read(const deck::Deck& deck, Params& params);
/// Solvers of matrices that are not symmetric, and relaxations of the grid of finite differences.
solvers::Offers offers_of(bool on_grid);
/// Throws Error(usage) where solver or assembly do not go with the discretisation.
void check_choices(const Params& params, const deck::Deck& deck);

}  // namespace tessera::physics::convection_diffusion
