#pragma once
#include <string>
#include <vector>

#include "physics/scalar/params.hpp"
#include "solvers/grid/lmsor.hpp"

namespace tessera::physics::convection_diffusion {

/// A whole deck of the module.
struct Params {
  scalar::Params diffusion;  ///< all but convection
  std::string discretisation = "supg";
  std::vector<std::vector<deck::Expression>> velocity;  ///< of each material, one component an axis; empty: 0
  bool relaxes = false;                                 ///< [solver] is of solvers/grid/lmsor.hpp
  solvers::grid::LmsorParams relaxation;

  bool on_grid() const { return discretisation == "finite_difference"; }
  bool supg() const { return discretisation == "supg"; }
  bool upwind() const { return discretisation == "upwind"; }
};

deck::Schema schema();
/// Reads and checks everything that can be checked without the mesh.
Params read(const deck::Deck& deck);

}  // namespace tessera::physics::convection_diffusion
