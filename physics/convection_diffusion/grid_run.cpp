#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/log.hpp"
#include "base/profile.hpp"
#include "physics/convection_diffusion/grid.hpp"
#include "physics/convection_diffusion/problem.hpp"
#include "physics/scalar/evaluate.hpp"
#include "physics/scalar/grid.hpp"
#include "physics/scalar/solve.hpp"
#include "physics/scalar/store.hpp"
#include "solvers/grid/lmsor.hpp"

namespace tessera::physics::convection_diffusion {

namespace {

void summarise_relaxation(const solvers::grid::LmsorReport& report, const solvers::grid::LmsorParams& params,
                          output::Summary& summary) {
  summary.set("solver.stop", params.stop);
  summary.set("solver.update", report.update);
  summary.set("solver.omega_min", report.omega_min);
  summary.set("solver.omega_max", report.omega_max);
  summary.set("solver.damping", report.damping);
  summary.set("solver.restarts", report.restarts);
  summary.set("solver.mixed_points", report.mixed_points);
  summary.set("solver.bytes_per_iteration", report.bytes);
  for (const std::string& warning : report.warnings) warn(warning);
}

/// Values on the backend: those of the host themselves, or a copy.
template <class Exec>
decltype(auto) there(const Array<double>& values) {
  if constexpr (std::is_same_v<typename Exec::Space, Host>) {
    return (values);
  } else {
    Array<double, typename Exec::Space> result(values.size());
    copy(values, result);
    return result;
  }
}

/// Relaxes u [nodes], which lies on the backend.
template <class Exec>
solvers::Report relax_there(Exec& exec, const Params& params, const Grid& grid, View<double> u, Context& context) {
  const auto& problem = grid.nodes.problem;
  const auto& f = there<Exec>(grid.f);
  const auto& g = there<Exec>(grid.g);
  const auto& source = there<Exec>(grid.source);
  const solvers::grid::LmsorParams relaxation = solvers::grid::relaxation_of(params.diffusion.solver);
  Scope scope(exec, "solve");
  const solvers::grid::LmsorReport report = solvers::grid::solve_lmsor(
      exec, {{grid.m(0), grid.m(1)}, {problem.h[0], problem.h[1]}, f.view(), g.view(), source.view(), grid.mirrors}, u,
      relaxation, scalar::monitor_of(context, relaxation.tolerance));
  summarise_relaxation(report, relaxation, context.summary);
  return report;
}

/// f(place in u, whether it is an unknown) for u and its rim.
template <class F>
void for_places(const Grid& grid, F f) {
  const Index m0 = grid.m(0), m1 = grid.m(1);
  for (Index j = 0; j <= m1 + 1; ++j)
    for (Index i = 0; i <= m0 + 1; ++i) f(i + (m0 + Offset{2}) * j, i > 0 && i <= m0 && j > 0 && j <= m1);
}

template <class Exec>
solvers::Report relax_shifted(Exec& exec, const Params& params, Grid& grid, Context& context) {
  if constexpr (std::is_same_v<typename Exec::Space, Host>) {
    return relax_there(exec, params, grid, grid.u.view(), context);
  } else {
    auto u = there<Exec>(grid.u);
    const solvers::Report report = relax_there(exec, params, grid, u.view(), context);
    copy(u, grid.u);
    return report;
  }
}

/// Relaxes u - level: the equation has no reaction, so its data but for the rim are the same.
template <class Exec>
solvers::Report relax(Exec& exec, const Params& params, Grid& grid, Context& context) {
  std::vector<double> rim;
  const std::vector<double> start = scalar::initial_values(params.diffusion, grid.nodes, grid.unknowns);
  std::size_t next = 0;
  for_places(grid, [&](Offset at, bool unknown) {
    if (!unknown) {
      rim.push_back(grid.u[at]);
      grid.u[at] -= grid.level;
    } else {
      grid.u[at] = start.empty() ? 0 : start[next++] - grid.level;
    }
  });
  const solvers::Report report = relax_shifted(exec, params, grid, context);
  next = 0;
  for_places(grid, [&](Offset at, bool unknown) { grid.u[at] = unknown ? grid.u[at] + grid.level : rim[next++]; });
  return report;
}

template <class Exec>
solvers::Report solve_matrix(Exec& exec, const Params& params, Grid& grid, Context& context) {
  using Space = typename Exec::Space;
  scalar::System<Exec> system;
  {
    GridSystem host = make_grid_system(grid);
    system.nnz = host.A.nnz();
    system.matrix = {host.A.rows, host.A.cols, scalar::moved_to<Space>(std::move(host.A.row_ptr)),
                     scalar::moved_to<Space>(std::move(host.A.col_ind)),
                     scalar::moved_to<Space>(std::move(host.A.values))};
    system.b = scalar::moved_to<Space>(std::move(host.b));
  }
  scalar::store(exec, params.diffusion, system, context.summary);
  context.summary.set("space.nnz", system.nnz);
  Array<double, Space> x;
  const solvers::Report report =
      scalar::solve_system(exec, *system.A, system.b.view(), params.diffusion, context, x,
                           scalar::start_of(params.diffusion, grid.nodes, grid.unknowns, grid.level));
  const std::vector<double> found = to_vector(x);
  for (Index j = 0; j < grid.m(1); ++j)
    for (Index i = 0; i < grid.m(0); ++i)
      grid.u[i + 1 + (j + Offset{1}) * (grid.m(0) + Offset{2})] = found[i + Offset{j} * grid.m(0)] + grid.level;
  if (grid.cell_peclet > 1)
    warn(
        fmt::format("the cell Peclet number is {:.3g} > 1: central differences oscillate where the solution has "
                    "layers; refine, or choose "
                    "discretisation = \"supg\"",
                    grid.cell_peclet));
  return report;
}

/// Of [exact], at all nodes.
std::vector<double> nodal_values(const deck::Expression& exact, const scalar::BoxGrid& nodes, int threads) {
  std::vector<double> points;
  points.reserve(3 * static_cast<std::size_t>(nodes.node_count()));
  for (Index j = 0; j < nodes.nodes[1]; ++j)
    for (Index i = 0; i < nodes.nodes[0]; ++i)
      points.insert(points.end(), {nodes.coordinate(0, i), nodes.coordinate(1, j), 0.0});
  return scalar::evaluate(exact, points, threads);
}

/// Where the differences are exact but for their own error: between the nodes there is that of interpolation, too.
void report_nodal_error(const ExactParams& exact, const Grid& grid, View<const double> found, int threads,
                        output::Summary& summary) {
  const std::vector<double> u = nodal_values(exact.u, grid.nodes, threads);
  double most = 0;
  for (Offset i = 0; i < found.size(); ++i) {
    const double error = std::abs(found[i] - u[i]);
    if (!(error <= most)) most = error;  // one that is not a number stays
    if (std::isnan(most)) break;
  }
  summary.set("errors.u.nodes", most);
}

Grid set_up(const Params& params, const Context& context) {
  Grid grid = make_grid(context.deck, params);
  check_quantities(params.diffusion.quantities, scalar::outline(grid.nodes), GroupList::names);
  check_lines(params.diffusion.lines, scalar::outline(grid.nodes));
  scalar::check_exact(params.diffusion.exact, 2);
  return grid;
}

}  // namespace

ExitCode run_on_grid(const Params& params, Context& context) {
  const scalar::Params& diffusion = params.diffusion;
  Threads host(diffusion.run.threads);
  Grid grid;
  {
    Scope scope(host, "coefficients");
    grid = set_up(params, context);
  }
  log_info(fmt::format("grid: {} x {} unknowns, cell Peclet number {:.3g}", grid.m(0), grid.m(1), grid.cell_peclet));
  const solvers::Report report = on_backend(diffusion.run, context.summary, [&](auto& exec) {
    return params.relaxes() ? relax(exec, params, grid, context) : solve_matrix(exec, params, grid, context);
  });
  context.summary.set("mesh.nodes", grid.nodes.node_count());
  context.summary.set("space.discretisation", params.discretisation);
  context.summary.set("space.order", 1);
  context.summary.set("space.dofs", grid.nodes.node_count());
  context.summary.set("space.unknowns", grid.size());
  context.summary.set("space.cell_peclet", grid.cell_peclet);
  scalar::summarise_solver(report, context.summary);
  if (!diffusion.has_exact && !scalar::needs_mesh(diffusion)) return scalar::conclude(diffusion, report, context);
  const Array<double> u = at_nodes(grid);
  if (diffusion.has_exact) report_nodal_error(diffusion.exact, grid, u, host.count(), context.summary);
  if (scalar::needs_mesh(diffusion)) scalar::report_on_mesh(diffusion, u, report, weak_form(params), context);
  return scalar::conclude(diffusion, report, context);
}

void check_on_grid(const Params& params, Context& context) {
  const Grid grid = set_up(params, context);
  if (const scalar::Params& diffusion = params.diffusion;
      diffusion.has_exact) {  // evaluated as a run does, for the checks
    nodal_values(diffusion.exact.u, grid.nodes, Threads(diffusion.run.threads).count());
    scalar::check_values_on_mesh(diffusion, context);
  }
  const auto& problem = grid.nodes.problem;
  const double unknowns = static_cast<double>(grid.size()), nodes = static_cast<double>(grid.nodes.node_count());
  fmt::print("grid       {} nodes, {} x {} unknowns, spacing {} and {}\n", grid.nodes.node_count(), grid.m(0),
             grid.m(1), problem.h[0], problem.h[1]);
  fmt::print("convection cell Peclet number {:.3g}{}\n", grid.cell_peclet,
             grid.cell_peclet > 1 ? ": layers will oscillate" : "");
  fmt::print("solver     {}, precision {}\n", params.diffusion.solver.type, params.diffusion.run.precision);
  // Of a solver with a matrix, the five-point matrix too.
  const double solver = solvers::solver_bytes(params.diffusion.solver, grid.size(), 5 * grid.size()) +
                        (params.relaxes() ? 0 : 72 * unknowns + solvers::shift_bytes(grid.size()));
  const double host = 8 * (4 * unknowns + nodes) + solver + (scalar::needs_mesh(params.diffusion) ? 24 * nodes * 8 : 0);
  fmt::print("memory\n");
  const double in_use = static_cast<double>(memory_use().host_peak);  // the program itself
  scalar::say_fit("host", in_use + host, in_use + static_cast<double>(host_bytes_available()));
  if (const CudaInfo gpu = cuda_info(); gpu.usable)
    scalar::say_fit("GPU", 32 * unknowns + solver, static_cast<double>(gpu.free_bytes));
  else
    fmt::print("  {:<10} about {}; {}\n", "GPU", human_bytes(32 * unknowns + solver), gpu.why_not);
  context.summary.set("mesh.nodes", grid.nodes.node_count());
  context.summary.set("space.unknowns", grid.size());
}

}  // namespace tessera::physics::convection_diffusion
