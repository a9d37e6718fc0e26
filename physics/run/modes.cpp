#include "physics/run/modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <utility>

#include "physics/run/modes_loads.hpp"

namespace tessera::physics {

void check_modes(const CommonParams& params, bool nonlinear) {
  if (!solvers::wants_modes(params.solver)) return;
  const auto refuse = [](const std::string& what, const std::string& help, const deck::Where& where) {
    throw Error(ExitCode::usage, what, help, where);
  };
  const deck::Where type = solvers::place(params.solver, "type");
  if (params.time)
    refuse("modes are of problems without time", "leave [time] out, or choose solver.type = \"cg\"", type);
  if (nonlinear)
    refuse("modes are of linear problems, and coefficients of the deck depend on the solution",
           "write coefficients of the place alone, or choose solver.type = \"cg\"", type);
  const std::string no_meaning = " has no meaning for modes";
  if (!params.initial.empty())
    refuse("[[initial]]" + no_meaning, "leave it out: modes are looked for from random vectors",
           params.initial.front().where);
  if (params.exact) refuse("[exact]" + no_meaning, "leave it out, or choose solver.type = \"cg\"", params.exact->where);
  if (!params.sources.empty())
    refuse("[[source]]" + no_meaning, "leave it out, or choose solver.type = \"cg\"", params.sources.front().where);
  if (!params.lines.empty())
    refuse("[[line]] is of one solution, and there are several modes",
           "leave it out: output.formats = [\"csv\"] has the nodes of each mode", params.lines.front().where);
  if (params.assembly.strategy == "matrix_free" && solvers::shift_of(params.solver) > 0)
    refuse("solver.shift is added to a matrix, and assembly.strategy = \"matrix_free\" has none",
           "leave one of the two out", solvers::place(params.solver, "shift"));
}

void warn_of_loads(bool loads) {
  if (loads) warn("sources, loads and prescribed values have no effect on modes, which are those without them");
}

void warn_of_loads(const solvers::SolverParams& solver, const DirichletData& dirichlet,
                   const std::vector<std::span<const double>>& loads) {
  if (!solvers::wants_modes(solver)) return;
  const auto acts = [](std::span<const double> values) {
    return std::any_of(values.begin(), values.end(), [](double value) { return value != 0; });
  };
  warn_of_loads(acts(dirichlet.values) || std::any_of(loads.begin(), loads.end(), acts));
}

void settle_sign(std::vector<double>& mode, Communicator* ranks) {
  constexpr double alike = 1 - 1e-6;
  double largest = 0;
  for (const double value : mode) largest = std::max(largest, std::abs(value));
  if (ranks) largest = maximum(*ranks, largest);
  const auto first =
      std::find_if(mode.begin(), mode.end(), [&](double value) { return std::abs(value) >= alike * largest; });
  double sign = first != mode.end() ? *first : 0;
  if (ranks)
    for (const double one : gathered(*ranks, std::exchange(sign, 0)))
      if (sign == 0) sign = one;
  if (sign < 0)
    for (double& value : mode) value = -value;
}

void summarise_modes(const solvers::EigenReport& report, bool oscillates, const Context& context) {
  output::Summary& summary = context.summary;
  std::vector<double> frequencies;
  for (const double value : report.values)
    frequencies.push_back(std::sqrt(std::max(value, 0.0)) / (2 * std::numbers::pi));
  summary.set("modes.eigenvalues", report.values);
  if (oscillates) summary.set("modes.frequencies", frequencies);
  summary.set("modes.residuals", report.residuals);
  if (context.quiet) return;
  fmt::print("{:>6}  {:>16}  {}{:>9}\n", "mode", "eigenvalue",
             oscillates ? fmt::format("{:>16}  ", "frequency/Hz") : "", "residual");
  for (std::size_t k = 0; k < report.values.size(); ++k)
    fmt::print("{:>6}  {:>16.9g}  {}{:>9.1e}\n", k + 1, report.values[k],
               oscillates ? fmt::format("{:>16.9g}  ", frequencies[k]) : "", report.residuals[k]);
}

}  // namespace tessera::physics
