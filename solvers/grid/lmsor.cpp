#include "solvers/grid/lmsor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/grid/lmsor_grid.hpp"
#include "solvers/registry.hpp"

namespace tessera::solvers::grid {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int most_blocking = 8;
/// CUDA records the iterations between two looks.
constexpr int most_check_every = 1000;

using Where = const deck::Where&;

void refuse_unless(bool fine, const std::string& what, const std::string& help, Where where) {
  if (!fine) throw Error(ExitCode::usage, what, help, where);
}

void check_omega(const LmsorParams& own, const SolverParams& params, const std::string&) {
  const Where where = params.where;
  for (double omega : {own.omega, own.omega_black})
    refuse_unless(omega >= 0 && omega < 2, fmt::format("a relaxation factor of {} was asked for", omega),
                  "choose 0 < omega < 2, or 0: estimated", where);
  refuse_unless(own.omega == 0 || params.type == "sor" || params.type == "msor",
                fmt::format("solver.omega is {}, but '{}' takes omega from the coefficients", own.omega, params.type),
                "leave omega out, or choose type = \"sor\" or \"msor\"", where);
  refuse_unless(own.omega_black == 0 || params.type == "msor",
                fmt::format("solver.omega_black is {}, but only msor has one", own.omega_black),
                "leave omega_black out, or choose type = \"msor\"", where);
}

void check_stop(const LmsorParams& own, const SolverParams& params, const std::string&) {
  refuse_unless(own.stop != "residual" || own.tolerance <= 1,
                fmt::format("solver.tolerance is {}, of a relative residual", own.tolerance), "choose at most 1",
                params.where);
  refuse_unless(params.precision == "double" || params.precision == "float",
                fmt::format("relaxation has no precision '{}'", params.precision),
                "choose run.precision = \"double\" or \"float\"", params.where);
}

/// How a sweep goes over memory: what the backend ("threads", "cuda"; empty: not known yet) has.
void check_sweep(const LmsorParams& own, const SolverParams& params, const std::string& backend) {
  const Where where = params.where;
  const int G = own.granularity;
  refuse_unless(G == 0 || G == 1 || G == 2 || G == 4 || G == 8, fmt::format("solver.granularity is {}", G),
                "choose 1, 2, 4 or 8, or 0: own choice", where);
  if (backend == "cuda") {
    const bool of_halves = G != 0 || own.access != "auto";
    refuse_unless(own.blocking <= 1 || !of_halves,
                  fmt::format("solver.blocking = {} beside access or granularity, which are choices of half iterations",
                              own.blocking),
                  "leave access and granularity out, or choose blocking = 1", where);
    refuse_unless(own.blocking <= 1 || own.recompute != "none",
                  fmt::format("solver.blocking = {} with recompute = \"none\"", own.blocking),
                  "several iterations a pass keep f and g on the chip: choose recompute = \"coefficients\" or \"all\"",
                  where);
  } else if (backend == "threads") {
    refuse_unless(own.access == "auto" || own.access == "global",
                  fmt::format("solver.access = \"{}\" on threads, which have one memory", own.access),
                  "leave access out, or choose --backend cuda", where);
    refuse_unless(G == 0, fmt::format("solver.granularity = {} on threads, which work on rows", G),
                  "leave granularity out, or choose --backend cuda", where);
  }
}

/// The keys of all relaxations.
const Keys<LmsorParams>& relaxation_keys() {
  using P = LmsorParams;
  static const Keys<P> keys =
      Keys<P>()
          .also(check_omega)
          .key("omega", &P::omega,
               {.help = "relaxation factor of sor, of msor's red points; 0: estimated", .min = 0, .max = 2}, true)
          .key("omega_black", &P::omega_black, {.help = "of msor's black points; 0: estimated", .min = 0, .max = 2},
               true)
          .key("stop", &P::stop,
               {.help = "residual: ||b - A u|| <= tolerance ||b||; update: sum (du)^2 <= tolerance",
                .choices = {"residual", "update"}})
          .key("tolerance", &P::tolerance, {.help = "of the stop", .min = 0, .open_min = true})
          .key("max_iterations", &P::max_iterations, {.help = "iterations of all starts together", .min = 0})
          .key("check_every", &P::check_every,
               {.help = "iterations between two looks at the norms; 0: 16, and 1 with stop = update",
                .min = 0,
                .max = most_check_every})
          .key(
              "recompute", &P::recompute,
              {.help = "none: the weights of the neighbours and omega are stored; coefficients: f, g and omega; all: f "
                       "and g",
               .choices = {"auto", "none", "coefficients", "all"}})
          .key("access", &P::access,
               {.help = "how CUDA reads the other colour", .choices = {"auto", "global", "shared", "texture"}})
          .key("granularity", &P::granularity,
               {.help = "points of a CUDA thread: 1, 2, 4 or 8; 0: own choice", .min = 0, .max = 8})
          .key("blocking", &P::blocking,
               {.help = "iterations of one pass over memory; 1: one half each pass; 0: own choice",
                .min = 0,
                .max = most_blocking})
          .key("damping", &P::damping,
               {.help = "all omega times this when the residual grows, and from the start again; 1: never",
                .min = 0,
                .max = 1,
                .open_min = true})
          .also(check_stop)
          .also(check_sweep);
  return keys;
}

/// f, g, source and u, once more split by colour with weights.
double relaxation_bytes(const SolverParams&, const ProblemSize& size) { return 12 * 8 * size.rows; }

MethodEntry relaxation_entry(const char* name, const char* help) {
  return {.name = name,
          .help = help,
          .kind = MethodKind::relaxation,
          .needs = {.nodes = true},
          .bytes = relaxation_bytes,
          .own = relaxation_keys(),
          .take_shared = [](SolverParams& params) {
            params.tolerance = params.method.as<LmsorParams>().tolerance;
            params.max_iterations = params.method.as<LmsorParams>().max_iterations;
          }};
}

}  // namespace

MethodEntry lsor_entry() { return relaxation_entry("lsor", "local SOR: omega from the coefficients of each point"); }
MethodEntry lmsor_entry() {
  return relaxation_entry("lmsor", "local modified SOR: a pair of omega a point, of the red and black half iteration");
}
MethodEntry msor_entry() {
  return relaxation_entry("msor", "modified SOR: one omega of all red points, one of all black ones");
}
MethodEntry sor_entry() { return relaxation_entry("sor", "SOR: one omega"); }

LmsorParams relaxation_of(const SolverParams& params) {
  LmsorParams result = params.method.as<LmsorParams>();
  result.method = params.type;
  result.precision = params.precision;
  result.where = params.where;
  return result;
}

void check(const LmsorParams& params, const std::string& backend) {
  const std::vector<std::string> methods = {"lsor", "lmsor", "msor", "sor"};
  if (std::find(methods.begin(), methods.end(), params.method) == methods.end())
    throw Error(ExitCode::usage, "unknown relaxation method '" + params.method + "'", suggest(params.method, methods),
                params.where);
  SolverParams as_solver{.type = params.method, .precision = params.precision, .where = params.where};
  relaxation_keys().check(params, as_solver, backend);
}

namespace lmsor {

LocalOmega omega_of(const LmsorProblem& problem, const LmsorParams& params, const CoefficientBounds& bounds) {
  const double h2 = problem.h[0] * problem.h[0], k2 = problem.h[1] * problem.h[1];
  const double A2 = k2 / (h2 + k2), B2 = h2 / (h2 + k2);
  // The angle of the smoothest error: it vanishes beyond the ends, or is even about a line that mirrors.
  const auto angle = [&](int axis) {
    const int mirrors = problem.mirrors[axis];
    return mirrors == 0 ? pi / (problem.m[axis] + 1.0) : mirrors == 1 ? pi / (2.0 * problem.m[axis]) : 0.0;
  };
  const double x = angle(0), y = angle(1);
  LocalOmega omega;
  omega.mu_max_x = A2 * std::cos(x);
  omega.mu_max_y = B2 * std::cos(y);
  if (params.method == "lmsor" || params.method == "msor") {
    omega.mu_min_x = A2 * std::sin(x / 2);
    omega.mu_min_y = B2 * std::sin(y / 2);
    omega.pairs = true;
  }
  omega.local = params.method == "lsor" || params.method == "lmsor";
  if (omega.local) return omega;
  // One omega for all points: the extremes of all points as if one point had them.
  const double single = rectangle_omega(bounds.real, bounds.imaginary);
  omega.constant[0] = omega.constant[1] = single;
  if (params.method == "msor" && (bounds.real == 0 || bounds.imaginary == 0)) {
    const double M = std::max(bounds.real, bounds.imaginary), m = std::min(bounds.least, M);
    const double sign = bounds.imaginary == 0 ? -1 : 1;
    const double s = std::sqrt((1 + sign * M * M) * (1 + sign * m * m));
    omega.constant[0] = 2 / (1 - M * m + s);
    omega.constant[1] = 2 / (1 + M * m + s);
  }
  if (params.omega > 0) omega.constant[0] = params.omega;
  const double black = params.method == "sor" ? params.omega : params.omega_black;
  if (black > 0) omega.constant[1] = black;
  return omega;
}

Choices choices_of(const LmsorProblem& problem, const LmsorParams& params, const std::string& backend) {
  const bool local = params.method == "lsor" || params.method == "lmsor";
  const bool cuda = backend == "cuda";
  Choices choices;
  if (params.recompute == "none")
    choices.recompute = Recompute::none;
  else if (params.recompute == "coefficients" || (params.recompute == "auto" && local))
    choices.recompute = Recompute::coefficients;
  else
    choices.recompute = Recompute::all;
  choices.access = params.access == "shared"    ? Access::shared
                   : params.access == "texture" ? Access::texture
                                                : Access::global;
  // H200, November 2026: 2 rows a thread are within 1 % of the best in double, 4 in float.
  const int own_granularity = params.precision == "float" ? 4 : 2;
  choices.granularity = params.granularity > 0 ? params.granularity : own_granularity;
  choices.blocking = params.blocking;
  if (cuda) {
    const bool of_halves = params.granularity != 0 || params.access != "auto" || choices.recompute == Recompute::none;
    // H200, November 2026: 4 iterations a pass take half the time of half iterations, 3 and 5 from 10 % more to 3 %
    // less.
    if (choices.blocking == 0) choices.blocking = of_halves ? 1 : 4;
  } else if (choices.blocking == 0) {
    // The 2 blocking + 2 rows that a pass works on stay in one and a half megabytes of cache; two iterations pay beyond
    // it too.
    Choices one_pass = choices;
    one_pass.blocking = 2;
    const double row = 2 * bytes_of(problem, one_pass, 8) / problem.m[1];
    choices.blocking = static_cast<int>(std::clamp(1.5e6 / row / 2 - 1, 2.0, 4.0));
  }
  return choices;
}

double bytes_of(const LmsorProblem& problem, const Choices& choices, int size) {
  const double points = static_cast<double>(problem.m[0]) * problem.m[1];
  const double coefficients = choices.recompute == Recompute::none           ? 5
                              : choices.recompute == Recompute::coefficients ? 3
                                                                             : 2;
  const double read_only = coefficients + (problem.source.empty() ? 0 : 1);
  // u: each half iteration reads both colours and writes one; a pass of several iterations reads and writes them once.
  const double words = choices.blocking > 1 ? (2 + read_only) / choices.blocking : 3 + read_only;
  return words * size * points;
}

}  // namespace lmsor
}  // namespace tessera::solvers::grid
