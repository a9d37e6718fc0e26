#pragma once
// run_on_grid: from the deck to the files for any GridMethod.
#include "physics/grid_method.hpp"

namespace tessera::physics {

/// Phases: that of the method's data, those of its solution and its results.
ExitCode run_on_grid(GridMethod& method, Context& context);
/// Prints grid, solver and a forecast of memory.
void check_on_grid(GridMethod& method, Context& context);

}  // namespace tessera::physics
