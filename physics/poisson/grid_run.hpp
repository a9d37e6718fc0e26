#pragma once
#include "base/array.hpp"
#include "physics/module.hpp"
#include "physics/poisson/params.hpp"
#include "solvers/report.hpp"

namespace tessera::physics::poisson {

/// A run whose matrix is a stencil (see grid.hpp). The mesh is made only where [exact], a [[quantity]] or the files need it.
/// Phases: right_hand_side, solve, mesh.generate, mesh.check, dofs, post, output.
ExitCode run_on_grid(const Params& params, Context& context);

/// Whether errors, quantities or files are wanted, which stand on a mesh.
bool needs_mesh(const Params& params);
/// Errors, quantities and files on the mesh of the box, whose nodes are those of the grid: u [nodes].
void report_on_mesh(const Params& params, const Array<double>& u, const solvers::Report& report, Context& context);

/// Prints grid, method, and an estimate of memory for host and GPU.
void check_on_grid(const Params& params, Context& context);

}  // namespace tessera::physics::poisson
