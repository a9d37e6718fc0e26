#include "physics/time_scheme.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/counted.hpp"
#include "base/log.hpp"

namespace tessera::physics {

bool is_implicit(const TimeParams& params) {
  return solvers::find_scheme(params.scheme, params.where).kind == solvers::SchemeKind::implicit;
}

namespace {

/// What a solver leaves is an error of a step as well, and would make it short in vain.
void check_tolerances(const CommonParams& params) {
  constexpr double far_below = 0.01;
  const std::optional<double>& tolerance = params.time->tolerance;
  if (!tolerance || params.solver.tolerance <= far_below * *tolerance) return;
  warn(
      fmt::format("solver.tolerance = {:g} is not far below time.tolerance = {:g}: what it leaves counts as errors of "
                  "steps; {:g} would do",
                  params.solver.tolerance, *tolerance, far_below * *tolerance));
}

}  // namespace

void check_explicit(const CommonParams& params, bool lumped, const std::string& implicit) {
  const TimeParams& time = *params.time;
  if (is_implicit(time)) return check_tolerances(params);
  if (!lumped)
    throw Error(ExitCode::usage,
                fmt::format("time.scheme = \"{}\" is explicit: it divides by the mass, which is \"consistent\", not a "
                            "diagonal",
                            time.scheme),
                fmt::format("choose physics.mass = \"lumped\", or an implicit scheme such as \"{}\"", implicit),
                params.physics.where);
  if (params.run.precision != "double")
    throw Error(ExitCode::usage,
                fmt::format("run.precision = \"{}\": time.scheme = \"{}\" is explicit and solves no systems, its "
                            "states are double",
                            params.run.precision, time.scheme),
                fmt::format("leave precision out, or choose an implicit scheme such as \"{}\"", implicit),
                params.solver.where_precision ? params.solver.where_precision : time.where);
  if (!params.solver.given.empty())
    warn(fmt::format("time.scheme = \"{}\" is explicit and solves no systems: [solver] has no effect", time.scheme));
}

namespace {

/// Rows of a, of which row i has i entries.
std::vector<std::vector<double>> rows_below_diagonal(const TableauParams& params) {
  const std::size_t stages = params.b.size(), expected = stages * (stages - 1) / 2;
  if (stages == 0 || params.a.size() != expected)
    throw Error(
        ExitCode::usage,
        fmt::format("time.tableau has {} b and {} a, {} have {}", counted(stages, "weight"),
                    counted(params.a.size(), "entry", "entries"), counted(stages, "stage"), stages == 0 ? 0 : expected),
        "a has the entries below the diagonal, row by row: a21, a31, a32, a41, ...", params.where);
  std::vector<std::vector<double>> rows(stages);
  auto next = params.a.begin();
  for (std::size_t i = 0; i < stages; ++i) {
    rows[i].assign(next, next + static_cast<std::ptrdiff_t>(i));
    next += static_cast<std::ptrdiff_t>(i);
  }
  return rows;
}

}  // namespace

solvers::StepperParams stepper_params(const TimeParams& params) {
  solvers::StepperParams result{.scheme = params.scheme,
                                .adaptive = params.tolerance.has_value(),
                                .stages = params.stages,
                                .where = params.where};
  if (params.tableau) {
    result.tableau = {.name = "time.tableau",
                      .a = rows_below_diagonal(*params.tableau),
                      .b = params.tableau->b,
                      .b_embedded = params.tableau->b_embedded,
                      .c = params.tableau->c};
    result.where = params.tableau->where;
  }
  return result;
}

solvers::StepTolerance step_tolerance(const TimeParams& params) {
  if (!params.tolerance) throw Error(ExitCode::internal, "[time] has no tolerance");
  return {.relative = *params.tolerance, .absolute = params.absolute_tolerance.value_or(*params.tolerance)};
}

}  // namespace tessera::physics
