#include "base/on_cuda.hpp"
#include "solvers/grid/cufft.hpp"
#include "solvers/grid/sine_transform.hpp"
#include "solvers/grid/solve_grid_impl.hpp"

namespace tessera::solvers::grid {
namespace {

/// r; r and d in float, or d; about two vectors of the method's own.
double grid_bytes(const SolverParams& params, const ProblemSize& size) {
  const double value = params.precision == "double" ? 8 : 4;
  return (8 + (value == 8 ? 1 : 2) * value + 2 * value) * size.rows;
}

/// Sine transforms keep extended lines on CUDA, in slices, and as much for cuFFT.
double fft_bytes(const SolverParams& params, const ProblemSize& size) {
  const double lines = std::min(16 * size.rows, static_cast<double>(sine_slice_bytes));
  return grid_bytes(params, size) + (size.on_cuda ? 2 * (size.dim - 1) * lines : 0);
}

void check_radix(const BcrParams& own, const SolverParams& params, const std::string&) {
  if (own.radix != 2 && own.radix != 4)
    throw Error(ExitCode::usage, fmt::format("solver.radix is {}", own.radix), "choose 2 or 4", place(params, "radix"));
}

}  // namespace

MethodEntry bcr_entry() {
  return {.name = "bcr",
          .help =
              "block cyclic reduction with `radix` 2 or 4: direct, for constant coefficients on a box mesh with "
              "Dirichlet data; see docs/methods/fast_poisson.md",
          .kind = MethodKind::direct,
          .needs = {.symmetric = true, .grid = true},
          .bytes = grid_bytes,
          .own = Keys<BcrParams>()
                     .key("radix", &BcrParams::radix,
                          {.help = "2 or 4: rows of a block that one step of the reduction eliminates, and one more.",
                           .min = 2,
                           .max = 4})
                     .also(check_radix),
          .make_threads = make_grid_method<Threads>,
          .make_cuda = TESSERA_ON_CUDA(make_grid_method<Cuda>)};
}

MethodEntry fft_entry() {
  return {.name = "fft",
          .help = "sine transforms (FFTW, cuFFT): direct, for the same problems as bcr, on grids of any size",
          .kind = MethodKind::direct,
          .needs = {.symmetric = true, .grid = true},
          .bytes = fft_bytes,
          .make_threads = make_grid_method<Threads>,
          .make_cuda = TESSERA_ON_CUDA(make_grid_method<Cuda>)};
}

void require_library(const SolverParams& params, const GridProblem& problem, const std::string& backend) {
  if constexpr (TESSERA_HAS_CUDA)
    if (params.type == "fft" && problem.dim > 1 && backend == "cuda") require_cufft();
}

template std::unique_ptr<Method<Threads>> make_grid_method(const SolverParams&);

}  // namespace tessera::solvers::grid
