#pragma once
#include <string>
#include <vector>

#include "physics/scalar/params.hpp"

namespace tessera::physics::convection_diffusion {

/// A whole deck of the module.
struct Params {
  scalar::Params diffusion;  ///< all but convection
  std::string discretisation = "supg";
  std::vector<std::vector<deck::Expression>> velocity;  ///< of each material, one component an axis; empty: 0

  bool on_grid() const { return discretisation == "finite_difference"; }
  bool supg() const { return discretisation == "supg"; }
  /// Whether [solver] names a relaxation: solvers/grid/lmsor.hpp.
  bool relaxes() const { return solvers::is_relaxation(diffusion.solver); }
  bool upwind() const { return discretisation == "upwind"; }
};

deck::Schema schema();
/// Reads and checks everything that can be checked without the mesh.
Params read(const deck::Deck& deck);

}  // namespace tessera::physics::convection_diffusion
