#pragma once
// Start, tests and damping of a relaxation, written once for both backends.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/replay.hpp"
#include "solvers/grid/lmsor_grid.hpp"

namespace tessera::solvers::grid::lmsor {

/// Growth of the residual over its least value that is called divergence: at once, or where nothing was won after it
/// for so many iterations. Where convection carries errors through the grid a residual grows before it falls: 142-fold
/// for f = g = 1e7 on 100 x 100 nodes.
inline constexpr double divergence = 1e4, lasting_divergence = 100;
inline constexpr int lasting_iterations = 2048;
/// Restarts with more damping: 0.7^8 = 0.06.
inline constexpr int most_restarts = 8;
/// Looks without progress after which the level of rounding is looked for.
inline constexpr int patience = 32;

/// One run of solve_lmsor.
template <class Exec, class T>
struct Run {
  Exec& exec;
  const LmsorProblem& problem;
  const LmsorParams& params;
  const Monitor& monitor;
  View<double> u;
  LmsorReport& report;
  Relaxation<Exec, T> relaxation;
  double scale = 1;  ///< 1 / norm that residuals are relative to

  enum class End { converged, diverged, stopped };
  End iterate();
  double rounding() { return std::numeric_limits<T>::epsilon() * norm(exec, relaxation) * scale; }
  bool accept(double relative);
  void note_stagnation(double best);
};

/// Whether u is good enough, by the residual of the stored u.
template <class Exec, class T>
bool Run<Exec, T>::accept(double relative) {
  if (params.stop == "update") return report.update <= params.tolerance;
  if (relative > params.tolerance) return false;
  store(exec, relaxation, u);
  ++report.residuals;
  return std::sqrt(residual(exec, problem, u).second) * scale <= params.tolerance;
}

/// Says so where the residual is what rounding of T leaves.
template <class Exec, class T>
void Run<Exec, T>::note_stagnation(double best) {
  if (best <= 4 * rounding())
    report.failure = fmt::format(
        "the relative residual stays at {:.1e}, which is the rounding of {} numbers: choose a larger tolerance{}", best,
        report.precision, std::is_same_v<T, float> ? " or run.precision = \"double\"" : "");
}

template <class Exec, class T>
typename Run<Exec, T>::End Run<Exec, T>::iterate() {
  Replay<Exec> replay;
  const double least = 4 * rounding();  // below this a residual may grow and say nothing
  double best = report.history.front();
  int looks_without_progress = 0, progress_iteration = report.iterations;
  double progress = best;  // the residual that the last gain of a tenth led to
  bool grown = false;
  const int check_every = params.check_every > 0 ? params.check_every : params.stop == "update" ? 1 : 16;
  while (report.iterations < params.max_iterations) {
    const int count = std::min(check_every, params.max_iterations - report.iterations);
    if (count == check_every)
      replay.run(exec, [&] { sweep(exec, relaxation, count, true); });
    else
      sweep(exec, relaxation, count, true);
    exec.synchronize();
    const std::vector<double> norms = to_vector(relaxation.norms);
    const double relative = std::sqrt(norms[0]) * scale;
    report.iterations += count;
    report.update = norms[1];
    report.history.push_back(relative);
    grown |= relative > lasting_divergence * std::max(best, least);
    if (!(relative <= divergence * std::max(best, least)) ||
        (grown && report.iterations - progress_iteration > lasting_iterations))
      return End::diverged;
    if (monitor.progress) monitor.progress(report.iterations, relative);
    if (accept(relative)) return End::converged;
    if (monitor.stop && monitor.stop()) {
      report.interrupted = true;
      return End::stopped;
    }
    looks_without_progress = relative < best ? 0 : looks_without_progress + 1;
    if (relative < 0.9 * progress) {
      progress = relative;
      progress_iteration = report.iterations;
    }
    best = std::min(best, relative);
    if (looks_without_progress % patience == patience - 1) note_stagnation(best);
    if (!report.failure.empty()) return End::stopped;
  }
  report.failure =
      fmt::format("{} iterations did not reach the tolerance {:g}: allow more of them{}", report.iterations,
                  params.tolerance, params.method == "lmsor" ? ", or choose \"lsor\"" : ", or a Krylov method");
  return End::stopped;
}

inline void add_warnings(const LmsorProblem& problem, const CoefficientBounds& bounds, LmsorReport& report) {
  const auto warn = [&](double largest, const char* name, const char* spacing, double h) {
    if (largest > 1)
      report.warnings.push_back(fmt::format(
          "|{0} {1}/2| reaches {2:.3g} > 1 ({1} = {3:.3g}): central differences oscillate where the solution is "
          "steep; take cells {4:.0f} times smaller, or finite elements with supg",
          name, spacing, largest, h, std::ceil(largest)));
  };
  warn(bounds.largest_F, "f", "h", problem.h[0]);
  warn(bounds.largest_G, "g", "k", problem.h[1]);
}

template <class Exec, class T>
void run(Exec& exec, const LmsorProblem& problem, View<double> u, const LmsorParams& params, const Monitor& monitor,
         const CoefficientBounds& bounds, LmsorReport& report) {
  const LocalOmega omega = omega_of(problem, params, bounds);
  const Choices choices = choices_of(problem, params, Exec::name);
  report.bytes = bytes_of(problem, choices, sizeof(T));
  report.omega_min = omega.local ? bounds.omega_min : std::min(omega.constant[0], omega.constant[1]);
  report.omega_max = omega.local ? bounds.omega_max : std::max(omega.constant[0], omega.constant[1]);
  Run<Exec, T> self{exec,
                    problem,
                    params,
                    monitor,
                    u,
                    report,
                    make_relaxation<Exec, T>(exec, problem, omega, choices, bounds.mixed_points > 0)};
  Array<double, typename Exec::Space> start(u.size());
  copy_bytes(typename Exec::Space{}, u.data(), typename Exec::Space{}, start.data(), start.bytes());
  const Pair first = residual(exec, problem, u);
  const double norm = std::sqrt(first.first > 0 ? first.first : first.second);
  if (norm == 0) {  // nothing drives u: it is the solution
    report.history = {0};
    report.converged = true;
    return;
  }
  self.scale = 1 / norm;
  report.history.push_back(std::sqrt(first.second) * self.scale);
  report.converged = params.stop == "residual" && report.history.front() <= params.tolerance;
  while (!report.converged) {
    if (report.restarts > 0) set_damping(exec, self.relaxation, report.damping);
    load(exec, self.relaxation, start);
    const auto end = self.iterate();
    report.converged = end == Run<Exec, T>::End::converged;
    if (end != Run<Exec, T>::End::diverged) break;
    if (params.damping == 1 || report.restarts == most_restarts || report.iterations >= params.max_iterations) {
      const double last = report.history.back();
      report.failure =
          fmt::format("the residual {} with all omega times {:.2g}: {}",
                      std::isfinite(last) ? fmt::format("grew to a relative {:.1e}", last) : "grew beyond all numbers",
                      report.damping,
                      params.damping == 1 ? "allow damping < 1"
                                          : fmt::format("choose a smaller damping, {}a finer grid or a Krylov method",
                                                        params.method == "lsor" ? "" : "\"lsor\", "));
      break;
    }
    report.damping *= params.damping;
    ++report.restarts;
  }
  if (report.iterations > 0) store(exec, self.relaxation, u);
  report.relative_residual = std::sqrt(residual(exec, problem, u).second) * self.scale;
  if (report.restarts > 0)
    report.warnings.push_back(fmt::format("the residual grew; {} {} with all omega times {:.2g}", report.restarts,
                                          report.restarts == 1 ? "restart" : "restarts", report.damping));
}

/// Refuses values that the method cannot work with. F^2 and G^2 must be numbers too.
inline void check_values(const CoefficientBounds& bounds, bool single) {
  constexpr const char* names[] = {"f", "g", "source", "u"};
  if (bounds.bad >= 0)
    throw Error(ExitCode::solver,
                fmt::format("{} is not finite at node ({}, {}) of the grid", names[bounds.bad], bounds.bad_node[0],
                            bounds.bad_node[1]),
                "check its expression there: a division by zero, a root or logarithm of a negative number");
  const double most = single ? 1e18 : 1e100;
  if (std::max(bounds.largest_F, bounds.largest_G) > most)
    throw Error(ExitCode::solver,
                fmt::format("|f h/2| reaches {:.1e} and |g k/2| {:.1e}, relaxation has room for {:.0e}",
                            bounds.largest_F, bounds.largest_G, most),
                single ? "choose run.precision = \"double\", or scale the problem" : "scale the problem");
}

inline void check_sizes(const LmsorProblem& problem, View<const double> u, const deck::Where& where) {
  const auto [m1, m2] = problem.m;
  if (m1 < 1 || m2 < 1)
    throw Error(ExitCode::usage, fmt::format("a grid of {} x {} interior nodes was asked for", m1, m2),
                "it needs at least 1 each way: 2 cells", where);
  if (!(problem.h[0] > 0 && problem.h[1] > 0))
    throw Error(ExitCode::usage, fmt::format("the spacings of the grid are {} and {}", problem.h[0], problem.h[1]),
                "they must be positive", where);
  const Offset points = static_cast<Offset>(m1) * m2, nodes = (m1 + Offset{2}) * (m2 + Offset{2});
  for (View<const double> values : {problem.f, problem.g, problem.source})
    if (!values.empty() && values.size() != points)
      throw Error(ExitCode::usage, fmt::format("{} coefficients for {} interior nodes", values.size(), points),
                  "give one for each node, or none", where);
  if (u.size() != nodes)
    throw Error(ExitCode::usage, fmt::format("u has {} values, the grid with its rim {}", u.size(), nodes),
                "give one for each node", where);
}

}  // namespace tessera::solvers::grid::lmsor

namespace tessera::solvers::grid {

template <class Exec>
LmsorReport solve_lmsor(Exec& exec, const LmsorProblem& problem, View<double> u, const LmsorParams& params,
                        const Monitor& monitor) {
  check(params, Exec::name);
  lmsor::check_sizes(problem, u, params.where);
  LmsorReport report;
  report.type = params.method;
  report.precision = params.precision;
  const lmsor::CoefficientBounds bounds =
      lmsor::scan_coefficients(exec, problem, u, lmsor::omega_of(problem, params, {}));
  lmsor::check_values(bounds, params.precision == "float");
  report.mixed_points = bounds.mixed_points;
  lmsor::add_warnings(problem, bounds, report);
  try {
    if (params.precision == "float")
      lmsor::run<Exec, float>(exec, problem, u, params, monitor, bounds, report);
    else
      lmsor::run<Exec, double>(exec, problem, u, params, monitor, bounds, report);
  } catch (const Error& error) {  // of a choice that this GPU lacks
    if (error.code() != ExitCode::usage || error.where()) throw;
    throw Error(error.code(), error.what(), error.help(), params.where);
  }
  return report;
}

}  // namespace tessera::solvers::grid
