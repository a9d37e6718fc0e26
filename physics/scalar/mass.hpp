#pragma once
// The mass matrix of modes.
#include "assembly/cells/assembler.hpp"
#include "base/profile.hpp"
#include "forms/diffusion.hpp"
#include "physics/model.hpp"

namespace tessera::physics::scalar {

/// int rho u v of one number a node, with all rows; `data` have rho as their reaction. `couplings`: of the stiffness,
/// whose pattern it is to have. Phase: assemble.
template <class Exec>
linalg::Crs<typename Exec::Space> mass_matrix(Exec& exec, const Discretisation& space, const forms::DiffusionData& data,
                                              const std::vector<assembly::DofBlock>* couplings = nullptr) {
  Scope scope(exec, "assemble");
  assembly::Assembler<Exec, forms::Diffusion> assembler(exec, space.mesh, space.dofs, {.couplings = couplings});
  linalg::Crs<typename Exec::Space> M = assembler.make_matrix();
  Array<double, typename Exec::Space> no_loads(M.rows);
  assembler.assemble(data, M, no_loads.view());
  return M;
}

}  // namespace tessera::physics::scalar
