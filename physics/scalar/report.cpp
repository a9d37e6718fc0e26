#include "physics/scalar/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assembly/fields/errors.hpp"
#include "assembly/fields/flux.hpp"
#include "assembly/fields/quantities.hpp"
#include "base/log.hpp"
#include "base/profile.hpp"
#include "base/team.hpp"
#include "mesh/make_mesh.hpp"
#include "output/vtk_writer.hpp"

namespace tessera::physics::scalar {

namespace {

/// The sides of the facets of a flux that it leaves: those of the cells in `from`, or of the domain.
std::vector<mesh::CellSide> left_sides(const Solution& s, const mesh::Group& group, const mesh::Group* from) {
  std::vector<mesh::CellSide> sides;
  for (const mesh::SidePair& pair : mesh::sides_of(s.mesh, group.entities)) {
    const bool first = !from || std::binary_search(from->entities.begin(), from->entities.end(), pair.first.cell);
    sides.push_back(first ? pair.first : pair.second);
  }
  return sides;
}

double flux_quantity(const QuantityParams& quantity, const Solution& s, const Fluxes& fluxes) {
  const mesh::Group group = united_groups(s.mesh, quantity.on, s.mesh.dim - 1, quantity.where);
  const mesh::Group* from =
      quantity.from.empty() ? nullptr : &find_group(s.mesh, quantity.from, s.mesh.dim, quantity.where);
  if (quantity.kind == "flux") return from ? fluxes.through(group, *from) : fluxes.through(group);
  return assembly::gradient_flux(s.mesh, s.dofs, s.u, diffusivity_field(s), left_sides(s, group, from), s.threads);
}

/// The extreme over several groups, or the integral over all that they hold, where what is in several counts once.
double group_quantity(const QuantityParams& quantity, const Solution& s) {
  if (!is_integral(quantity)) {
    std::vector<const mesh::Group*> groups;
    for (const std::string& name : quantity.on) groups.push_back(&find_group(s.mesh, name, -1, quantity.where));
    if (groups.empty()) groups.push_back(nullptr);
    std::vector<double> all;
    for (const mesh::Group* group : groups) {
      const auto [low, high] = assembly::min_max(s.mesh, s.dofs, s.u, group);
      all.push_back(quantity.kind == "max" ? high : low);
    }
    return quantity.kind == "max" ? *std::max_element(all.begin(), all.end())
                                  : *std::min_element(all.begin(), all.end());
  }
  mesh::Group united;
  if (!quantity.on.empty()) united = united_groups(s.mesh, quantity.on, -1, quantity.where);
  const assembly::FieldStatistics all =
      assembly::field_statistics(s.mesh, s.dofs, s.u, quantity.on.empty() ? nullptr : &united, s.threads);
  return quantity.kind == "integral" ? all.integral : quantity.kind == "average" ? all.average() : all.l2;
}

/// Numbers of groups (of entities where there are none) as cell fields: the material, the first group of each cell, and 0/1 for
/// each group where they overlap.
std::vector<output::Field> cell_fields(const Solution& s) {
  const std::size_t cells = s.material.size();
  output::Field material{"material", 1, {}, true};
  material.values.assign(s.material.begin(), s.material.end());
  output::Field group{"group", 1, std::vector<double>(cells, -1), true};
  std::vector<output::Field> fields{std::move(material)}, members;
  bool overlap = false;
  double number = 0;
  const bool has_groups = std::any_of(s.mesh.groups.begin(), s.mesh.groups.end(),
                                      [&](const mesh::Group& g) { return g.dim == s.mesh.dim; });
  for (const mesh::Group& g : has_groups ? s.mesh.groups : s.mesh.entities) {
    if (g.dim != s.mesh.dim || (!has_groups && g.name == "rest")) continue;
    output::Field member{"in " + g.name, 1, std::vector<double>(cells, 0), true};
    for (Index cell : g.entities) {
      member.values[cell] = 1;
      overlap |= group.values[cell] >= 0;
      if (group.values[cell] < 0) group.values[cell] = number;
    }
    members.push_back(std::move(member));
    ++number;
  }
  fields.push_back(std::move(group));
  if (overlap)
    for (output::Field& member : members) fields.push_back(std::move(member));
  return fields;
}

/// The mesh of a grid's box with its nodes as dofs. Phases of the mesh, dofs.
struct GridMesh {
  int threads;
  mesh::Mesh mesh;
  assembly::DofMap dofs;

  GridMesh(const Params& params, const Context& context)
      : threads(Threads(params.run.threads).count()),
        mesh(mesh::make_mesh(context.deck, params.mesh, threads, {context.stop, context.progress})) {
    Threads exec(threads);
    Scope scope(exec, "dofs");
    dofs = assembly::make_dof_map(mesh, 1, threads);
  }
};

}  // namespace

/// Evaluators belong to one thread each, so every thread has its own set.
assembly::HostTensorField diffusivity_field(const Solution& solution) {
  std::size_t components = 1;
  for (const MaterialParams& m : solution.materials) components = std::max(components, m.diffusivity.size());
  using Evaluators = std::vector<std::vector<deck::Evaluator>>;
  auto pool = std::make_shared<std::vector<Evaluators>>(
      static_cast<std::size_t>(std::max(default_threads(), solution.threads)));
  for (Evaluators& of_thread : *pool)
    for (const MaterialParams& m : solution.materials) {
      of_thread.emplace_back();
      for (const deck::Expression& e : m.diffusivity) of_thread.back().emplace_back(e);
    }
  const int dim = solution.mesh.dim;
  auto evaluate = [pool, components, dim, &material = solution.material](Index cell, const double* xyz, double* k) {
    auto& evaluators = (*pool)[static_cast<std::size_t>(current_part())][static_cast<std::size_t>(material[cell])];
    if (evaluators.size() == components) {
      for (std::size_t c = 0; c < components; ++c) k[c] = evaluators[c](xyz);
      return;
    }
    std::fill(k, k + components, 0.0);
    const double value = evaluators.front()(xyz);
    k[0] = k[components - 1] = value;
    if (dim == 3) k[3] = value;
  };
  return {static_cast<int>(components), evaluate};
}

solvers::Monitor monitor_of(const Context& context, double tolerance) {
  solvers::Monitor monitor;
  monitor.stop = context.stop;
  if (context.progress)
    // Residuals fall by a factor an iteration, more or less: so the digits won tell how far it is. They never go back.
    monitor.progress = [&context, tolerance, furthest = 0.0](int iteration, double residual) mutable {
      if (residual > 0 && tolerance > 0 && tolerance < 1)
        furthest = std::max(furthest, std::clamp(std::log(residual) / std::log(tolerance), 0.0, 1.0));
      context.progress(furthest > 0 ? furthest : -1, fmt::format("iteration {}, residual {:.2e}", iteration, residual));
    };
  return monitor;
}

void report_errors(const ExactParams& exact, const Solution& s, output::Summary& summary) {
  assembly::ErrorOptions options;
  options.threads = s.threads;
  const assembly::ErrorNorms errors = assembly::compute_errors(s.mesh, s.dofs, s.u, exact.u, exact.gradient, options);
  summary.set("errors.u.l2", errors.l2);
  if (errors.h1) summary.set("errors.u.h1", *errors.h1);
  summary.set("errors.u.max", errors.max);
}

void check_values(const ExactParams& exact, const mesh::Mesh& mesh, const assembly::DofMap& dofs, int threads) {
  const std::vector<double> u(static_cast<std::size_t>(dofs.dofs), 0.0);
  assembly::compute_errors(mesh, dofs, u, exact.u, exact.gradient, {.threads = threads});
}

void report_quantities(const std::vector<QuantityParams>& quantities, const Solution& s, const Fluxes& fluxes,
                       output::Summary& summary) {
  for (const QuantityParams& quantity : quantities) {
    double value = 0;
    if (quantity.kind == "value") {
      std::array<double, 3> at{};
      std::copy_n(quantity.at.begin(), std::min<std::size_t>(quantity.at.size(), 3), at.begin());
      value = assembly::value_at(s.mesh, s.dofs, s.u, at);
    } else if (is_flux(quantity)) {
      value = flux_quantity(quantity, s, fluxes);
    } else {
      value = group_quantity(quantity, s);
    }
    summary.set_in("quantities", quantity.name, value);
  }
}

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
  summary.set("solver.converged", report.converged);
  if (!report.failure.empty()) summary.set("solver.failure", report.failure);
  summary.set("solver.history", report.history);
  const std::string with = !report.method.empty() ? report.method : report.preconditioner;
  log_info(fmt::format(
      "{}{}: {} {}, relative residual {:.3e}{}", report.type, with.empty() ? "" : " with " + with, report.iterations,
      report.method.empty()    ? "iterations"
      : report.iterations == 1 ? "solve"
                               : "solves",
      report.relative_residual,
      report.relative_energy_error > 0 ? fmt::format(", energy error about {:.1e}", report.relative_energy_error)
                                       : ""));
}

void report_solution(const Params& params, const Solution& solution, const solvers::Report& report, Context& context) {
  Threads exec(solution.threads);
  std::unique_ptr<const Fluxes> fluxes;
  {
    Scope scope(exec, "balance");
    fluxes = std::make_unique<const Fluxes>(solution);
    if (solution.form.balances) report_balance(fluxes->balance(), solution, context.summary);
  }
  {
    Scope scope(exec, "post");
    if (params.has_exact) report_errors(params.exact, solution, context.summary);
    report_quantities(params.quantities, solution, *fluxes, context.summary);
  }
  if (!params.output.write && params.lines.empty()) return;
  Scope scope(exec, "output");
  if (params.output.write) write_solution(params, solution, report.converged, context.output_directory);
  const auto flux = [&] {
    return assembly::flux_field(solution.mesh, solution.dofs, solution.u, diffusivity_field(solution),
                                solution.threads);
  };
  write_lines(params.lines, solution.mesh, solution.dofs, solution.u, flux, context.output_directory);
}

bool needs_mesh(const Params& params) {
  return params.output.write || params.has_exact || !params.quantities.empty() || !params.lines.empty();
}

void report_on_mesh(const Params& params, const Array<double>& u, const solvers::Report& report, const WeakForm& form,
                    Context& context) {
  const GridMesh grid(params, context);
  summarise_mesh(grid.mesh, grid.dofs, 0, context.summary);
  const std::vector<Index> material = material_of_cells(params.materials, grid.mesh);
  const std::vector<double> points = assembly::dof_points(grid.mesh, grid.dofs);
  const DirichletData dirichlet = dirichlet_data(params.boundaries, grid.mesh, grid.dofs, points);
  const std::vector<FacetTerm> terms = facet_terms(params.boundaries, grid.mesh);
  const std::vector<double> values = to_vector(u);
  const std::vector<BoundaryParams> no_periodic;
  const Solution solution{grid.mesh, grid.dofs,   points,         material, params.materials, params.boundaries,
                          terms,     no_periodic, dirichlet.dofs, form,     values,           grid.threads};
  report_solution(params, solution, report, context);
}

void check_values_on_mesh(const Params& params, const Context& context) {
  if (!params.has_exact) return;
  const GridMesh grid(params, context);
  check_values(params.exact, grid.mesh, grid.dofs, grid.threads);
}

ExitCode conclude(const Params& params, const solvers::Report& report, Context& context) {
  if (report.interrupted) return ExitCode::interrupted;
  if (report.converged) return ExitCode::ok;
  const Error error = not_converged(report, params.solver);
  context.summary.set("status", "not_converged");
  context.summary.set("error", std::string(error.what()));
  fmt::print(stderr, "{}", error.report());
  return ExitCode::solver;
}

Error not_converged(const solvers::Report& report, const solvers::SolverParams& params) {
  // A failure of the solver says what to do itself.
  const std::string why =
      !report.failure.empty()
          ? report.failure
          : fmt::format(
                "relative residual {:.3e} after {} iterations, asked {:.3e}; raise solver.max_iterations, or choose "
                "another preconditioner",
                report.relative_residual, report.iterations, params.tolerance);
  return Error(ExitCode::solver, fmt::format("solver {} did not converge: {}", report.type, why),
               "the results are written and marked as not converged; `tessera list solvers` and `tessera list "
               "preconditioners` show the choices",
               params.where);
}

void write_solution(const Params& params, const Solution& s, bool converged, const std::filesystem::path& directory) {
  output::VtkData data;
  data.title = params.title + (s.mesh.measure.weighs() ? fmt::format(" (axis {})", s.mesh.measure.axis()) : "") +
               (converged ? "" : " (NOT CONVERGED)");
  // VTK's cells are equispaced: above order 4 the dofs are not, and fields are written where VTK takes its points to be.
  data.points =
      s.dofs.order <= assembly::max_simplex_order ? s.dof_points : assembly::equispaced_dof_points(s.mesh, s.dofs);
  for (const assembly::DofBlock& block : s.dofs.blocks) {
    const std::vector<double> nodes = assembly::equispaced_points(assembly::lagrange(block.shape, s.dofs.order));
    data.blocks.push_back(output::vtk_cells(block.shape, s.dofs.order, nodes, block.dofs));
  }
  const std::vector<std::string> fields =
      params.output.fields.empty() ? std::vector<std::string>{"u", "flux"} : params.output.fields;
  for (const std::string& field : fields) {
    if (field == "u")
      data.point_fields.push_back({"u", 1, assembly::equispaced_values(s.dofs, s.u)});
    else
      data.point_fields.push_back(
          {"flux", 3,
           assembly::equispaced_values(s.dofs,
                                       assembly::flux_field(s.mesh, s.dofs, s.u, diffusivity_field(s), s.threads), 3)});
  }
  data.cell_fields = cell_fields(s);
  write_solution_files(params.output, data, directory);
}

}  // namespace tessera::physics::scalar
