#include "solvers/automatic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/solve.hpp"

namespace tessera::solvers {
namespace {

/// Iterations of jacobi to 1e-8 for each node along an axis: 2 of Q1 hexes, 3.6 of P1 tets, 2.9 of the 5-point stencil,
/// 2.8 of Q2 hexes, 4.1 of P2 tets.
constexpr double iterations_along = 3.2;
/// The same of block_jacobi, of elastic bodies that are held on one side: 8 to 13 of hexes, 20 to 37 of tets.
constexpr double block_iterations_along = 8, block_iterations_along_of_tets = 16;
/// The least iterations of jacobi that bicgstab takes for each node along an axis, of flows that cross a square; 2.1 of
/// diffusion, 8 of flows that go round. And what amg costs in such iterations at most, at any Peclet number: on
/// threads, and on an H200 (bench/multigrid, 0.26 and 1.05 M rows in the plane).
constexpr double flow_iterations_along = 1.08, flow_iterations_worth = 500, flow_iterations_worth_on_gpu = 560;
/// What amg and pmg cost in iterations of jacobi on threads, at most.
constexpr double amg_worth_on_threads = 220, pmg_worth_on_threads = 105;
/// Rows below which neither takes long enough to be told apart.
constexpr double least_rows = 20000;
/// So much less must multigrid take: jumps, stretched cells and rough data favour it, smooth data do not.
constexpr double margin = 1.15;
/// What amg costs in iterations of jacobi on threads: to set it up, to redo its numbers, and an iteration of it; and
/// how much more a set-up takes of matrices that are not symmetric.
constexpr double set_up_on_threads = 250, refill_on_threads = 120, iteration_on_threads = 10,
                 set_up_not_symmetric = 1.3;
/// Of systems that follow one another: the part of a set-up that jacobi has to have lost.
constexpr double part_lost = 0.25;
/// So much more memory must be free than it is said to take: sizes are estimates, and some is in use by then.
constexpr double memory_margin = 1.2;

double iterations_of_jacobi(const OneSystem& system, bool symmetric, double tolerance) {
  const ProblemSize& size = system.size;
  const double all = size.all_rows > 0 ? size.all_rows : size.rows, nodes = std::pow(all / size.block, 1.0 / size.dim);
  const double along =
      size.block > 1 ? (system.simplices && size.dim > 2 ? block_iterations_along_of_tets : block_iterations_along)
      : symmetric    ? iterations_along
                     : flow_iterations_along;
  const double digits = -std::log10(tolerance) / 8;
  return along * digits * nodes;
}

/// An iteration of jacobi on an H200, in ms: what launches take, and what entries take, or rows without a matrix.
double iteration_on_gpu(const OneSystem& system) {
  const ProblemSize& size = system.size;
  if (!system.matrix) return 0.011 + 6.5e-8 * size.rows;
  return 0.011 + (size.block > 1 ? 2.7e-9 : 5e-9) * size.entries;
}

struct Candidate {
  const char* name;
  double worth;  ///< set-up and solution over the time of one iteration of jacobi
};

/// On a GPU as measured on an H200, in ms: of amg from 0.07 M rows on, of its blocks 1.1 M, of pmg 1.8 M and 17 M.
std::vector<Candidate> candidates(const OneSystem& system, bool symmetric) {
  const ProblemSize& size = system.size;
  const bool blocks = size.block > 1;
  std::vector<Candidate> result;
  if (system.entries && !symmetric)
    result.push_back({"amg", size.on_cuda ? flow_iterations_worth_on_gpu : flow_iterations_worth});
  else if (system.entries && size.on_cuda)
    result.push_back(
        {"amg", (blocks ? 20 + 6.4e-5 * size.rows : 11 + 7.7e-7 * size.entries) / iteration_on_gpu(system)});
  else if (system.entries)
    result.push_back({"amg", amg_worth_on_threads});
  if (!system.lower_orders || !symmetric) return result;
  if (!size.on_cuda)
    result.push_back({"pmg", pmg_worth_on_threads});
  else if (!blocks)
    result.push_back({"pmg", (35 + 7e-6 * size.rows) / iteration_on_gpu(system)});
  return result;
}

/// What multigrid takes beside the vectors of an operator that jacobi takes, too: of a matrix in rows or packed, or of
/// what cells have without one, about.
double bytes_with(const char* name, SolverParams params, const OneSystem& system) {
  ProblemSize size = system.size;
  if (!system.matrix) size.entries = 0;
  params.preconditioner = name;
  params.preconditioning = {};
  constexpr double of_entry = 12, of_row = 150;
  return solver_bytes(params, size) + (system.matrix ? of_entry * size.entries : of_row * size.rows);
}

}  // namespace

const char* jacobi_of(int unknowns_of_node) { return unknowns_of_node > 1 ? "block_jacobi" : "jacobi"; }
bool is_multigrid(const SolverParams& params) {
  return params.preconditioner == "amg" || params.preconditioner == "pmg";
}
bool is_automatic(const SolverParams& params) {
  return is_multigrid(params) && !params.given.contains("preconditioner");
}

Automatic choose_preconditioner(const SolverParams& params, const OneSystem& system, double free_bytes) {
  const ProblemSize& size = system.size;
  const bool symmetric = find_solver(params.type)->needs.symmetric;
  const std::string jacobi = jacobi_of(static_cast<int>(size.block));
  auto offered = candidates(system, symmetric);
  if (offered.empty()) return {jacobi, ""};
  if (size.rows < least_rows) return {jacobi, "the system is small"};
  std::sort(offered.begin(), offered.end(), [](const auto& a, const auto& b) { return a.worth < b.worth; });
  const double iterations = iterations_of_jacobi(system, symmetric, params.tolerance);
  const std::string expected =
      fmt::format("{} {:.0f} iterations of {} are expected", symmetric ? "about" : "at least", iterations, jacobi);
  const Candidate& cheapest = offered.front();
  if (iterations < margin * cheapest.worth)
    return {jacobi, fmt::format("{}: fewer than the set-up of {} is worth", expected, cheapest.name)};
  std::string too_large;
  for (const Candidate& next : offered) {
    if (iterations < margin * next.worth) break;
    if (free_bytes <= 0 || memory_margin * bytes_with(next.name, params, system) <= free_bytes)
      return {next.name, fmt::format("{}: more than the set-up of {} is worth{}", expected, next.name,
                                     too_large.empty() ? "" : ", and " + too_large + " has too little memory")};
    too_large += (too_large.empty() ? "" : " or ") + std::string(next.name);
  }
  return {jacobi, fmt::format("{}, but {} has too little memory", expected, too_large)};
}

AmgWorth amg_worth(const OneSystem& system, bool symmetric) {
  const double part = symmetric ? 1 : set_up_not_symmetric;
  if (!system.size.on_cuda) return {part * set_up_on_threads, part * refill_on_threads, iteration_on_threads};
  // ms on an H200, of the first set-up of a run and of numbers redone; P1 tets of 0.07, 1.0 and 2.8 M rows.
  const double of_jacobi = iteration_on_gpu(system), entries = system.size.entries;
  return {part * (16 + 6e-7 * entries) / of_jacobi, part * (3 + 3.7e-7 * entries) / of_jacobi,
          (0.18 + 2.6e-8 * entries) / of_jacobi};
}

double iterations_of_amg(double digits, bool symmetric) {
  return digits > 0 ? std::max(1.0, (symmetric ? 1 : 3) * digits) : 0;
}

double lost_without_amg(const SolverParams& params, const OneSystem& system, const Following& following) {
  const AmgWorth worth = amg_worth(system, find_solver(params.type)->needs.symmetric);
  return following.iterations - worth.iteration * following.with_amg;
}

Automatic choose_on_the_way(const SolverParams& params, const OneSystem& system, const Following& following,
                            double free_bytes) {
  const ProblemSize& size = system.size;
  const std::string jacobi = jacobi_of(static_cast<int>(size.block));
  if (!system.entries || !system.matrix || size.block > 1) return {jacobi, "multigrid does not take this matrix"};
  if (std::max(size.rows, size.all_rows) < least_rows_of_many) return {jacobi, "the systems are small"};
  const AmgWorth worth = amg_worth(system, find_solver(params.type)->needs.symmetric);
  const double with_amg = worth.iteration * following.with_amg + worth.refill * following.matrices;
  const std::string seen = fmt::format("{:.0f} iterations of {} in the last {}, and {:.0f} more to come",
                                       following.iterations, jacobi, following.step, following.steps);
  if (following.lost < part_lost * worth.set_up ||
      following.steps * following.iterations < margin * (worth.set_up + following.steps * with_amg))
    return {jacobi, seen + ": fewer than amg is worth"};
  SolverParams with = params;
  with.preconditioner = "amg";
  with.preconditioning = {};
  if (free_bytes > 0 && memory_margin * solver_bytes(with, size) > free_bytes)
    return {jacobi, seen + ", but amg has too little memory"};
  return {"amg", seen + ": more than amg is worth"};
}

}  // namespace tessera::solvers
