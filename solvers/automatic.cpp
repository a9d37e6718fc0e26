#include "solvers/automatic.hpp"

#include <fmt/format.h>

#include <cmath>

#include "solvers/solve.hpp"

namespace tessera::solvers {
namespace {

/// Iterations of jacobi to 1e-8 for each node along an axis: 2 of Q1 hexes, 3.6 of P1 tets, 2.9 of the 5-point stencil.
constexpr double iterations_along = 3.2;
/// The least iterations of jacobi that bicgstab takes for each node along an axis, of flows that cross a square; 2.1 of
/// diffusion, 8 of flows that go round. And what amg costs in such iterations at most, at any Peclet number: on
/// threads, and on an H200 (bench/multigrid, 0.26 and 1.05 M rows in the plane).
constexpr double flow_iterations_along = 1.08, flow_iterations_worth = 500, flow_iterations_worth_on_gpu = 560;
/// Rows below which neither takes long enough to be told apart.
constexpr double least_rows = 20000;
/// So much less must amg take: jumps, stretched cells and rough data favour it, smooth data do not.
constexpr double margin = 1.15;

/// Set-up and solution with amg over the time of one iteration of jacobi.
double iterations_worth(const ProblemSize& size) {
  if (!size.on_cuda) return 220;
  // Measured on an H200, in ms: what launches take, and what entries take.
  const double amg = 11 + 7.7e-7 * size.entries, iteration = 0.011 + 5e-9 * size.entries;
  return amg / iteration;
}

}  // namespace

Automatic choose_preconditioner(const SolverParams& params, const ProblemSize& size, double free_bytes) {
  const double digits = -std::log10(params.tolerance) / 8;
  const bool symmetric = find_solver(params.type)->needs.symmetric;
  const double all = size.all_rows > 0 ? size.all_rows : size.rows;
  const double iterations =
      (symmetric ? iterations_along : flow_iterations_along) * digits * std::pow(all, 1.0 / size.dim);
  const std::string expected =
      fmt::format("{} {:.0f} iterations of jacobi are expected", symmetric ? "about" : "at least", iterations);
  if (size.rows < least_rows) return {"jacobi", "the system is small"};
  const double worth = symmetric      ? iterations_worth(size)
                       : size.on_cuda ? flow_iterations_worth_on_gpu
                                      : flow_iterations_worth;
  if (iterations < margin * worth) return {"jacobi", expected + ": fewer than the set-up of amg is worth"};
  SolverParams with = params;
  with.preconditioner = "amg";
  const double need = solver_bytes(with, size) + 12 * size.entries;
  if (free_bytes > 0 && need > free_bytes) return {"jacobi", expected + ", but amg has too little memory"};
  return {"amg", expected + ": more than the set-up of amg is worth"};
}

}  // namespace tessera::solvers
