#pragma once
#include "solvers/grid/fast_poisson.hpp"
#include "solvers/method.hpp"

namespace tessera::solvers::grid {

struct BcrParams {
  int radix = 4;  ///< 2 | 4
};

/// Solve A x = b directly, A of a uniform grid, by block cyclic reduction or sine transforms. The start in x is not
/// read. The residual is that of the double system. Where it misses the tolerance and is not at round-off, the solution
/// is refined: at most twice in double, while it helps in mixed precision (solver in float, residual and sum in
/// double), never in float. A residual of ||A|| ||x|| eps cannot be helped: on fine grids it may lie above the
/// tolerance. So a solution is also accepted, with a warning, whose backward error ||b - A x|| / (||A|| ||x|| + ||b||)
/// is at the round-off of the precision; the report holds both. `iterations` counts solves. Throws Error(usage) for a
/// grid that the method does not take.
MethodEntry bcr_entry();
MethodEntry fft_entry();

/// Throws Error(usage) where the method needs a shared library on the backend ("threads", "cuda") that cannot be
/// loaded: fft needs cuFFT for transforms along y and z.
void require_library(const SolverParams& params, const GridProblem& problem, const std::string& backend);

template <class Exec>
std::unique_ptr<Method<Exec>> make_grid_method(const SolverParams& params);

}  // namespace tessera::solvers::grid
