#include "physics/run/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/communicator.hpp"
#include "base/counted.hpp"
#include "base/log.hpp"
#include "base/profile.hpp"
#include "base/team.hpp"
#include "mesh/quality.hpp"
#include "output/csv.hpp"
#include "output/pieces.hpp"
#include "output/vtkhdf.hpp"
#include "physics/run/errors.hpp"
#include "physics/run/in_common.hpp"
#include "physics/run/newton.hpp"
#include "physics/run/results.hpp"
#include "physics/run/time_report.hpp"

namespace tessera::physics {

namespace {

/// The error of a run whose solver did not converge (exit code 4).
Error not_converged(const solvers::Report& report, const solvers::SolverParams& params) {
  // A failure of the solver says what to do itself.
  const std::string why =
      !report.failure.empty()
          ? report.failure
          : fmt::format(
                "relative residual {:.3e} after {}, asked {:.3e}; raise solver.max_iterations, or choose "
                "another preconditioner",
                report.relative_residual, counted(report.iterations, "iteration"), params.tolerance);
  return Error(ExitCode::solver, fmt::format("solver {} did not converge: {}", report.type, why),
               "the results are written and marked as not converged; `tessera list solvers` and `tessera list "
               "preconditioners` show the choices",
               params.where);
}

ExitCode say_not_converged(const Error& error, Context& context) {
  context.summary.set("status", "not_converged");
  context.summary.set("error", std::string(error.what()));
  fmt::print(stderr, "{}", error.report());
  return error.code();
}

}  // namespace

std::function<bool()> stop_of(const Context& context) {
  if (!context.ranks) return context.stop;
  // All ranks ask as often, so they meet at the same question: not at every one, for a meeting takes microseconds.
  constexpr int questions_between = 8;
  return [&context, asked = 0]() mutable {
    return asked++ % questions_between == 0 && any(*context.ranks, context.stop && context.stop());
  };
}

solvers::Monitor monitor_of(const Context& context, double tolerance) {
  solvers::Monitor monitor;
  monitor.stop = stop_of(context);
  if (context.progress)
    // Residuals fall by a factor an iteration, more or less: so the digits won tell how far it is. They never go back.
    monitor.progress = [&context, tolerance, furthest = 0.0](int iteration, double residual) mutable {
      if (residual > 0 && tolerance > 0 && tolerance < 1)
        furthest = std::max(furthest, std::clamp(std::log(residual) / std::log(tolerance), 0.0, 1.0));
      context.progress(furthest > 0 ? furthest : -1, fmt::format("iteration {}, residual {:.2e}", iteration, residual));
    };
  return monitor;
}

void summarise_mesh(const mesh::Mesh& mesh, const assembly::Space& space, Offset nnz, output::Summary& summary) {
  summary.set("mesh.nodes", mesh.nodes());
  summary.set("mesh.cells", mesh.cells());
  summary.set("mesh.facets", mesh.facets.size());
  if (mesh.measure.weighs()) summary.set("mesh.axis", mesh.measure.axis());
  for (const mesh::Group& group : mesh.groups)
    summary.set_in("mesh.groups", group.name,
                   static_cast<Offset>(group.dim >= mesh.dim - 1 ? group.entities.size()
                                                                 : group.vertices.size() / (group.dim + 1)));
  const mesh::QualitySummary quality = mesh::summarise_quality(mesh);
  summary.set("mesh.quality.min", quality.min);
  summary.set("mesh.quality.mean", quality.mean);
  summarise_space(space, space.rows(), nnz, summary);
}

void summarise_space(const assembly::Space& space, Offset rows, Offset nnz, output::Summary& summary) {
  summary.set("space.order", space.dofs.order);
  if (space.components > 1) summary.set("space.components", space.components);
  summary.set("space.dofs", rows);
  if (nnz > 0) summary.set("space.nnz", nnz);
}

namespace {

void summarise_multigrid(const solvers::MultigridReport& multigrid, output::Summary& summary) {
  if (multigrid.levels.empty()) return;
  auto rows = nlohmann::ordered_json::array(), entries = rows;
  for (const solvers::MultigridLevel& level : multigrid.levels) {
    rows.push_back(level.rows);
    entries.push_back(level.entries);
  }
  summary.set("solver.multigrid.levels", multigrid.levels.size());
  summary.set_json("solver.multigrid.rows", rows);
  if (multigrid.levels.front().entries > 0) {  // of orders of elements nobody counts them
    summary.set_json("solver.multigrid.entries", entries);
    summary.set("solver.multigrid.operator_complexity", multigrid.operator_complexity());
  }
  summary.set("solver.multigrid.set_up_seconds", multigrid.set_up_seconds);
  if (multigrid.cycle_seconds > 0) summary.set("solver.multigrid.cycle_seconds", multigrid.cycle_seconds);
}

}  // namespace

void summarise_solver(const solvers::Report& report, output::Summary& summary) {
  summary.set("solver.type", report.type);
  if (!report.method.empty()) summary.set("solver.method", report.method);
  if (!report.preconditioner.empty()) summary.set("solver.preconditioner", report.preconditioner);
  summary.set("solver.iterations", report.iterations);
  summary.set("solver.relative_residual", report.relative_residual);
  if (report.backward_error > 0) summary.set("solver.backward_error", report.backward_error);
  if (report.energy_error > 0) {
    summary.set("solver.energy_error", report.energy_error);
    if (report.relative_energy_error > 0) summary.set("solver.relative_energy_error", report.relative_energy_error);
  }
  summarise_multigrid(report.multigrid, summary);
  summary.set("solver.converged", report.converged);
  if (!report.failure.empty()) summary.set("solver.failure", report.failure);
  summary.set("solver.history", report.history);
  const std::string with = !report.method.empty() ? report.method : report.preconditioner;
  log_info(fmt::format(
      "{}{}: {}, relative residual {:.3e}{}", report.type, with.empty() ? "" : " with " + with,
      counted(report.iterations, report.method.empty() ? "iteration" : "solve"), report.relative_residual,
      report.relative_energy_error > 0 ? fmt::format(", energy error about {:.1e}", report.relative_energy_error)
                                       : ""));
}

namespace {

/// The balance, errors and quantities.
void report_values(const CommonParams& params, const Traits& traits, const NodalSolution& solution, Results& results,
                   Context& context) {
  Threads exec(solution.threads);
  {
    Scope scope(exec, "balance");
    Results::Totals totals;
    in_common::each(solution.share, [&] { totals = results.totals(); });
    in_common::add(solution.share, totals.sums);
    in_common::largest(solution.share, totals.largest);
    results.report(totals, context.summary);
  }
  {
    Scope scope(exec, "post");
    if (params.exact) report_errors(*params.exact, traits.fields.front(), solution, context.summary);
    report_quantities(params.quantities, traits, solution, results, context.summary);
  }
}

void write_tables(const CommonParams& params, const Traits& traits, const NodalSolution& solution, Results& results,
                  const Context& context) {
  results.write_tables(context.output_directory);
  if (params.lines.empty()) return;
  Threads exec(solution.threads);
  Scope scope(exec, "output");
  write_lines(params.lines, traits.fields, solution, results, context.output_directory);
}

}  // namespace

void report_numbers(const CommonParams& params, const Traits& traits, const NodalSolution& solution, Results& results,
                    Context& context) {
  report_values(params, traits, solution, results, context);
  write_tables(params, traits, solution, results, context);
}

void report_solution(const CommonParams& params, const Traits& traits, const NodalSolution& solution, Results& results,
                     bool converged, Context& context) {
  report_values(params, traits, solution, results, context);
  if (params.output.write) {
    Threads exec(solution.threads);
    Scope scope(exec, "output");
    if (const int pieces =
            write_solution(params, traits.fields, solution, results, converged, context.output_directory, {},
                           [&](const MakeSolution& make, bool) {
                             FileState state;
                             make(state, {});
                             write_solution_files(params.output, state.shown.data, context.output_directory);
                           });
        pieces > 0)
      context.summary.set("ranks.pieces", pieces);
  }
  write_tables(params, traits, solution, results, context);
}

output::Precision precision_of(const OutputParams& params) {
  return params.precision == "float" ? output::Precision::of_float : output::Precision::of_double;
}

void write_solution_files(const OutputParams& params, const output::VtkData& data,
                          const std::filesystem::path& directory, const FileNames& names) {
  if (params.has_format("vtu") || params.has_format("pvtu")) {
    const std::filesystem::path file = directory / (names.stem + ".vtu");
    output::write_vtu(data, file, precision_of(params));
    if (!names.in_series) output::write_pvd(directory / "solution.pvd", {{0.0, file}});
  }
  if (params.has_format("csv")) output::write_csv(data, directory / (names.stem + ".csv"));
  if (params.has_format("vtkhdf") && !names.in_series)
    output::write_vtkhdf(data, directory / (names.stem + ".vtkhdf"),
                         {params.compression, default_threads(), precision_of(params)});
}

int write_pieces(const OutputParams& params, const Share& share, const std::function<output::VtkData()>& own,
                 const std::filesystem::path& directory, bool listed, const FileNames& names) {
  output::VtkData data;
  in_common::each(&share, [&] {
    data = own();
    output::write_vtu(data, directory / output::piece_name(share.ranks->rank(), names.stem), precision_of(params));
  });
  in_common::root(&share, [&] {
    const std::filesystem::path file = directory / (names.stem + ".pvtu");
    output::write_pvtu(file, data, share.ranks->size(), precision_of(params));
    if (listed && !names.in_series) output::write_pvd(directory / "solution.pvd", {{0.0, file}});
  });
  return share.ranks->size();
}

ExitCode conclude(const CommonParams& params, const solvers::Report& report, Context& context) {
  if (report.interrupted) return ExitCode::interrupted;
  if (report.converged) return ExitCode::ok;
  return say_not_converged(not_converged(report, params.solver), context);
}

ExitCode conclude(const CommonParams& params, const NewtonReport& report, Context& context) {
  if (report.interrupted) return ExitCode::interrupted;
  if (report.converged) return ExitCode::ok;
  return say_not_converged(Error(ExitCode::solver, "Newton's method did not converge: " + report.failure,
                                 report.help + "; the results are written and marked as not converged",
                                 params.newton.where ? params.newton.where : params.physics.where),
                           context);
}

ExitCode conclude(const CommonParams& params, const TimeReport& report, Context& context) {
  if (report.interrupted) return ExitCode::interrupted;
  if (report.finished) return ExitCode::ok;
  return say_not_converged(Error(ExitCode::solver, "the run did not come to its end: " + report.failure,
                                 report.help + "; the states before it are written", params.time->where),
                           context);
}

}  // namespace tessera::physics
