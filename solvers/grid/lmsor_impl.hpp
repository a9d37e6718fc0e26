#pragma once
// Set-up, start, tests and damping of a relaxation, written once for both backends.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "solvers/grid/lmsor_grid.hpp"
#include "solvers/krylov/replay.hpp"

namespace tessera::solvers::grid::lmsor {

/// What one column of the grid holds.
struct ColumnFacts {
  Facts facts;
  Index bad_row = -1;  ///< of the first value that is not finite
  int bad = -1;        ///< which: 0 f, 1 g, 2 source, 3 u
};

/// A problem as kernels see it.
struct ProblemView {
  Index m1, m2;
  double half_h, half_k;  ///< h/2, k/2
  View<const double> f, g, source, u;

  TESSERA_HD double F(Offset i) const { return f.empty() ? 0 : half_h * f[i]; }
  TESSERA_HD double G(Offset i) const { return g.empty() ? 0 : half_k * g[i]; }
};
inline ProblemView view_of(const LmsorProblem& problem, View<const double> u) {
  return {problem.m[0], problem.m[1], problem.h[0] / 2, problem.h[1] / 2, problem.f, problem.g, problem.source, u};
}

TESSERA_HD inline bool is_finite(double value) { return value - value == 0; }

TESSERA_HD inline void look_at_point(double F, double G, const LocalOmega& omega, Facts& facts) {
  const double p = fma(-F, F, 1.0), q = fma(-G, G, 1.0);
  const double x = square_root(fabs(p)), y = square_root(fabs(q));
  const double along_x = omega.real_x * x, along_y = omega.real_y * y;
  double real = 0, imaginary = 0;
  if (LocalOmega::is_mixed(F, G)) {
    real = p > 0 ? along_x : along_y;
    imaginary = p > 0 ? along_y : along_x;
    ++facts.mixed_points;
  } else {
    (p >= 0 && q >= 0 ? real : imaginary) = along_x + along_y;
  }
  facts.largest_F = fmax(facts.largest_F, fabs(F));
  facts.largest_G = fmax(facts.largest_G, fabs(G));
  facts.real = fmax(facts.real, real);
  facts.imaginary = fmax(facts.imaginary, imaginary);
  facts.least = fmin(facts.least, fma(omega.low_x, x, omega.low_y * y));
  if (!omega.local) return;
  for (int colour = 0; colour < 2; ++colour) {
    const double w = omega(F, G, colour);
    facts.omega_min = fmin(facts.omega_min, w);
    facts.omega_max = fmax(facts.omega_max, w);
  }
}

TESSERA_HD inline ColumnFacts look_at_column(const ProblemView& problem, const LocalOmega& omega, Index i) {
  ColumnFacts column;
  const bool inner_column = i >= 1 && i <= problem.m1;
  for (Index j = 0; j <= problem.m2 + 1 && column.bad < 0; ++j) {
    const bool inner_row = j >= 1 && j <= problem.m2;
    if (!inner_column && !inner_row) continue;  // a corner
    if (!is_finite(problem.u[i + j * (problem.m1 + Offset{2})])) column.bad = 3;
    if (inner_column && inner_row) {
      const Offset at = i - 1 + (j - 1) * static_cast<Offset>(problem.m1);
      const double F = problem.F(at), G = problem.G(at);
      if (!problem.source.empty() && !is_finite(problem.source[at])) column.bad = 2;
      if (!is_finite(G)) column.bad = 1;
      if (!is_finite(F)) column.bad = 0;
      if (column.bad < 0) look_at_point(F, G, omega, column.facts);
    }
    if (column.bad >= 0) column.bad_row = j;
  }
  return column;
}

inline void add(Facts& all, const Facts& some) {
  all.largest_F = std::max(all.largest_F, some.largest_F);
  all.largest_G = std::max(all.largest_G, some.largest_G);
  all.real = std::max(all.real, some.real);
  all.imaginary = std::max(all.imaginary, some.imaginary);
  all.least = std::min(all.least, some.least);
  all.omega_min = std::min(all.omega_min, some.omega_min);
  all.omega_max = std::max(all.omega_max, some.omega_max);
  all.mixed_points += some.mixed_points;
}

/// One pass over the problem. Throws Error(solver) at the first value, column by column, that is not finite.
template <class Exec>
Facts look_at(Exec& exec, const LmsorProblem& problem, View<const double> u, const LocalOmega& omega) {
  const Offset columns = problem.m[0] + Offset{2};
  Array<ColumnFacts, typename Exec::Space> found(columns);
  const ProblemView view = view_of(problem, u);
  const View<ColumnFacts> out = found.view();
  for_each(exec, columns, [=] TESSERA_HD(Offset i) { out[i] = look_at_column(view, omega, static_cast<Index>(i)); });
  exec.synchronize();
  Facts facts;
  Index i = 0;
  for (const ColumnFacts& column : to_vector(found)) {
    constexpr const char* names[] = {"f", "g", "source", "u"};
    if (column.bad >= 0)
      throw Error(ExitCode::solver,
                  fmt::format("{} is not finite at node ({}, {}) of the grid", names[column.bad], i, column.bad_row),
                  "check its expression there: a division by zero, a root or logarithm of a negative number");
    add(facts, column.facts);
    ++i;
  }
  return facts;
}

// ---- arrays ------------------------------------------------------------------------------------------------------

template <class Exec, class T>
void set_coefficients(Exec& exec, const Fields<T>& fields, const LmsorProblem& problem, Recompute recompute, View<T> out,
                      View<T> source, double D) {
  const Layout layout = fields.layout;
  const ProblemView view = view_of(problem, {});
  const T A = fields.A, B = fields.B;
  const Offset all = 2 * layout.size();
  for_each(exec, all, [=] TESSERA_HD(Offset at) {
    const int colour = at >= layout.size();
    const Offset j = (at - colour * layout.size()) / layout.pitch, p = at % layout.pitch;
    const Offset i = 2 * p + Layout::shift(j, colour);
    const bool inner = i >= 1 && i <= layout.m1 && j >= 1 && j <= layout.m2;
    const Offset from = inner ? i - 1 + (j - 1) * view.m1 : 0;
    const T F = inner ? static_cast<T>(view.F(from)) : T(0), G = inner ? static_cast<T>(view.G(from)) : T(0);
    if (recompute == Recompute::none) {
      const Stencil<T> c = inner ? make_stencil(A, B, F, G) : Stencil<T>{};
      out[at] = c.west;
      out[at + all] = c.east;
      out[at + 2 * all] = c.north;
      out[at + 3 * all] = c.south;
    } else {
      out[at] = F;
      out[at + all] = G;
    }
    if (!source.empty()) source[at] = inner ? static_cast<T>(view.source[from] / D) : T(0);
  });
}

template <class Exec, class T>
void set_damping(Exec& exec, Relaxation<Exec, T>& relaxation, double factor) {
  relaxation.fields.omega.damping = factor;
  const Recompute recompute = relaxation.choices.recompute;
  if (recompute == Recompute::all) return;
  const Fields<T> fields = relaxation.fields;
  const Layout layout = fields.layout;
  const Offset all = 2 * layout.size();
  const bool weights = recompute == Recompute::none;
  const View<T> c = relaxation.coefficients.view();
  const T A2 = 2 * fields.A, B2 = 2 * fields.B;
  for_each(exec, all, [=] TESSERA_HD(Offset at) {
    const int colour = at >= layout.size();
    const Offset j = (at - colour * layout.size()) / layout.pitch, i = 2 * (at % layout.pitch) + Layout::shift(j, colour);
    const bool inner = i >= 1 && i <= layout.m1 && j >= 1 && j <= layout.m2;
    // From the weights F = (l - r)/(2 A).
    const T F = weights ? (c[at] - c[at + all]) / A2 : c[at], G = weights ? (c[at + 3 * all] - c[at + 2 * all]) / B2 : c[at + all];
    c[at + (weights ? 4 : 2) * all] = inner ? static_cast<T>(fields.omega(F, G, colour)) : T(0);
  });
}

template <class Exec, class T>
Relaxation<Exec, T> make_relaxation(Exec& exec, const LmsorProblem& problem, const LocalOmega& omega,
                                    const Choices& choices, bool has_mixed) {
  using Space = typename Exec::Space;
  const double h2 = problem.h[0] * problem.h[0], k2 = problem.h[1] * problem.h[1];
  Relaxation<Exec, T> r;
  r.choices = choices;
  r.D = 2 / h2 + 2 / k2;
  Fields<T>& fields = r.fields;
  fields.layout = make_layout<T>(problem.m);
  fields.A = static_cast<T>(k2 / (2 * (h2 + k2)));
  fields.B = static_cast<T>(h2 / (2 * (h2 + k2)));
  fields.omega = omega;
  fields.has_mixed = has_mixed;
  const Offset all = 2 * fields.layout.size();
  const int arrays = choices.recompute == Recompute::none ? 5 : choices.recompute == Recompute::coefficients ? 3 : 2;
  r.u = Array<T, Space>(all);
  if (std::is_same_v<Exec, Cuda> && choices.blocking > 1) r.spare = Array<T, Space>(all);
  r.coefficients = Array<T, Space>(arrays * all);
  if (!problem.source.empty()) r.source = Array<T, Space>(all);
  r.partial = Array<Sums<2>, Space>(partial_size<T>(exec, fields.layout, choices));
  r.norms = Array<double, Space>(2);
  fields.u = r.u.data();
  for (int a = 0; a < arrays; ++a) fields.coefficient[a] = r.coefficients.data() + a * all;
  fields.source = r.source.data();
  set_coefficients(exec, fields, problem, choices.recompute, r.coefficients.view(), r.source.view(), r.D);
  set_damping(exec, r, 1.0);
  return r;
}

template <class Exec, class T>
void load(Exec& exec, Relaxation<Exec, T>& relaxation, View<const double> u) {
  const Layout layout = relaxation.fields.layout;
  const View<T> out = relaxation.u.view(), spare = relaxation.spare.view();
  for_each(exec, 2 * layout.size(), [=] TESSERA_HD(Offset at) {
    const int colour = at >= layout.size();
    const Offset j = (at - colour * layout.size()) / layout.pitch, i = 2 * (at % layout.pitch) + Layout::shift(j, colour);
    const bool corner = (i == 0 || i == layout.m1 + 1) && (j == 0 || j == layout.m2 + 1);
    const T value = i <= layout.m1 + 1 && !corner ? static_cast<T>(u[i + j * (layout.m1 + Offset{2})]) : T(0);
    out[at] = value;
    if (!spare.empty()) spare[at] = value;
  });
}

template <class Exec, class T>
void store(Exec& exec, const Relaxation<Exec, T>& relaxation, View<double> u) {
  const Layout layout = relaxation.fields.layout;
  const View<const T> from = relaxation.u.view();
  for_each(exec, static_cast<Offset>(layout.m1) * layout.m2, [=] TESSERA_HD(Offset point) {
    const Offset i = point % layout.m1 + 1, j = point / layout.m1 + 1;
    u[i + j * (layout.m1 + Offset{2})] = from[((i + j) % 2 * (layout.m2 + Offset{2}) + j) * layout.pitch + i / 2];
  });
}

// ---- the residual in double ---------------------------------------------------------------------------------------

/// Squares of the right side (with the boundary's share) and of the residual over all points, in units of u.
template <class Exec>
struct Residual {
  Exec& exec;
  const LmsorProblem& problem;
  Array<double, typename Exec::Space> sums{2};

  Pair operator()(View<const double> u);
};

TESSERA_HD inline Pair residual_at(const ProblemView& p, double A, double B, double D, Offset point) {
  const Offset i = point % p.m1 + 1, j = point / p.m1 + 1, row = p.m1 + Offset{2}, at = i + j * row;
  const Stencil<double> c = make_stencil(A, B, p.F(point), p.G(point));
  const double west = c.west * p.u[at - 1], east = c.east * p.u[at + 1];
  const double north = c.north * p.u[at + row], south = c.south * p.u[at - row];
  const double source = p.source.empty() ? 0 : p.source[point] / D;
  const double rim = (i == 1 ? west : 0) + (i == p.m1 ? east : 0) + (j == p.m2 ? north : 0) + (j == 1 ? south : 0);
  const double r = west + east + north + south - source - p.u[at], b = rim - source;
  return {b * b, r * r};
}

template <class Exec>
Pair Residual<Exec>::operator()(View<const double> u) {
  const double h2 = problem.h[0] * problem.h[0], k2 = problem.h[1] * problem.h[1], D = 2 / h2 + 2 / k2;
  const double A = k2 / (2 * (h2 + k2)), B = h2 / (2 * (h2 + k2));
  const ProblemView view = view_of(problem, u);
  reduce_pair(
      exec, static_cast<Offset>(view.m1) * view.m2, [=] TESSERA_HD(Offset point) { return residual_at(view, A, B, D, point); },
      sums.data(), sums.data() + 1);
  exec.synchronize();
  const std::vector<double> values = to_vector(sums);
  return {values[0], values[1]};
}

// ---- the iteration --------------------------------------------------------------------------------------------------

/// Growth of the residual that is called divergence. Convergent iterations were seen to pass through growth by 26.
inline constexpr double divergence = 100;
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
  Residual<Exec> residual;
  double scale = 1;  ///< 1 / norm that residuals are relative to

  enum class End { converged, diverged, stopped };
  End iterate();
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
  return std::sqrt(residual(u).second) * scale <= params.tolerance;
}

/// Says so where the residual is what rounding of T leaves.
template <class Exec, class T>
void Run<Exec, T>::note_stagnation(double best) {
  Array<double, typename Exec::Space> sum(1);
  const View<const T> values = relaxation.u.view();
  reduce(exec, values.size(), [=] TESSERA_HD(Offset i) { return static_cast<double>(values[i]) * values[i]; }, sum.data());
  exec.synchronize();
  const double rounding = std::numeric_limits<T>::epsilon() * std::sqrt(to_vector(sum)[0]) * scale;
  if (best <= 4 * rounding)
    report.failure = fmt::format(
        "the relative residual stays at {:.1e}, which is the rounding of {} numbers: choose a larger tolerance{}", best,
        report.precision, std::is_same_v<T, float> ? " or run.precision = \"double\"" : "");
}

template <class Exec, class T>
typename Run<Exec, T>::End Run<Exec, T>::iterate() {
  Replay<Exec> replay;
  double best = report.history.front();
  int looks_without_progress = 0;
  while (report.iterations < params.max_iterations) {
    const int count = std::min(params.check_every, params.max_iterations - report.iterations);
    if (count == params.check_every)
      replay.run(exec, [&] { sweep(exec, relaxation, count, true); });
    else
      sweep(exec, relaxation, count, true);
    exec.synchronize();
    const std::vector<double> norms = to_vector(relaxation.norms);
    const double relative = std::sqrt(norms[0]) * scale;
    report.iterations += count;
    report.update = norms[1];
    report.history.push_back(relative);
    if (!(relative <= divergence * best)) return End::diverged;
    if (monitor.progress) monitor.progress(report.iterations, relative);
    if (accept(relative)) return End::converged;
    if (monitor.stop && monitor.stop()) {
      report.interrupted = true;
      return End::stopped;
    }
    looks_without_progress = relative < best ? 0 : looks_without_progress + 1;
    best = std::min(best, relative);
    if (looks_without_progress % patience == patience - 1) note_stagnation(best);
    if (!report.failure.empty()) return End::stopped;
  }
  report.failure = fmt::format("{} iterations did not reach the tolerance {:g}: allow more of them{}", report.iterations,
                               params.tolerance, params.method == "lmsor" ? ", or choose \"lsor\"" : ", or a Krylov method");
  return End::stopped;
}

inline void add_warnings(const LmsorProblem& problem, const Facts& facts, LmsorReport& report) {
  const auto warn = [&](double largest, const char* name, const char* spacing, double h) {
    if (largest > 1)
      report.warnings.push_back(
          fmt::format("|{0} {1}/2| reaches {2:.3g} > 1 ({1} = {3:.3g}): central differences oscillate where the solution is "
                      "steep; refine the grid {2:.0f} times, or use finite elements with supg",
                      name, spacing, largest, h));
  };
  warn(facts.largest_F, "f", "h", problem.h[0]);
  warn(facts.largest_G, "g", "k", problem.h[1]);
}

template <class Exec, class T>
void run(Exec& exec, const LmsorProblem& problem, View<double> u, const LmsorParams& params, const Monitor& monitor,
         const Facts& facts, LmsorReport& report) {
  const LocalOmega omega = omega_of(problem, params, facts);
  const Choices choices = choices_of(problem, params, facts, Exec::name);
  report.bytes = bytes_of(problem, choices, sizeof(T));
  report.omega_min = omega.local ? facts.omega_min : std::min(omega.constant[0], omega.constant[1]);
  report.omega_max = omega.local ? facts.omega_max : std::max(omega.constant[0], omega.constant[1]);
  Run<Exec, T> self{exec,   problem,          params, monitor, u,
                    report, make_relaxation<Exec, T>(exec, problem, omega, choices, facts.mixed_points > 0), {exec, problem}};
  Array<double, typename Exec::Space> start(u.size());
  copy_bytes(typename Exec::Space{}, u.data(), typename Exec::Space{}, start.data(), start.bytes());
  const Pair first = self.residual(u);
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
    set_damping(exec, self.relaxation, report.damping);
    load(exec, self.relaxation, start);
    const auto end = self.iterate();
    report.converged = end == Run<Exec, T>::End::converged;
    if (end != Run<Exec, T>::End::diverged) break;
    if (params.damping == 1 || report.restarts == most_restarts || report.iterations >= params.max_iterations) {
      report.failure = fmt::format(
          "the residual grew to {:.1e} of what it was, with all omega times {:.2g}: {}", report.history.back(), report.damping,
          params.damping == 1 ? "allow damping < 1" : "refine the grid, choose \"lsor\", or a Krylov method");
      break;
    }
    report.damping *= params.damping;
    ++report.restarts;
  }
  if (!report.history.empty() && report.iterations > 0) store(exec, self.relaxation, u);
  report.relative_residual = std::sqrt(self.residual(u).second) * self.scale;
  if (report.restarts > 0)
    report.warnings.push_back(fmt::format("the residual grew; {} {} with all omega times {:.2g}", report.restarts,
                                          report.restarts == 1 ? "restart" : "restarts", report.damping));
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
  const lmsor::Facts facts = lmsor::look_at(exec, problem, u, lmsor::omega_of(problem, params, {}));
  report.mixed_points = facts.mixed_points;
  lmsor::add_warnings(problem, facts, report);
  if (params.precision == "float")
    lmsor::run<Exec, float>(exec, problem, u, params, monitor, facts, report);
  else
    lmsor::run<Exec, double>(exec, problem, u, params, monitor, facts, report);
  return report;
}

}  // namespace tessera::solvers::grid
