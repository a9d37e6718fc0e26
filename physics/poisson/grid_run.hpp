#pragma once
#include "physics/module.hpp"
#include "physics/poisson/params.hpp"

namespace tessera::physics::poisson {

/// A run whose matrix is a stencil (see grid.hpp). The mesh is made only where [exact], a [[quantity]] or the files need it.
/// Phases: right_hand_side, solve, mesh.generate, mesh.check, dofs, post, output.
ExitCode run_on_grid(const Params& params, Context& context);

/// Prints grid, method, and an estimate of memory for host and GPU.
void check_on_grid(const Params& params, Context& context);

}  // namespace tessera::physics::poisson
