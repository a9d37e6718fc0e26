#include "physics/poisson/grid_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "physics/poisson/grid.hpp"
#include "physics/poisson/system.hpp"
#include "physics/scalar/solve.hpp"
#include "solvers/grid/grid_operator.hpp"
#include "solvers/grid/sine_transform.hpp"
#include "solvers/grid/solve_grid.hpp"

namespace tessera::physics::poisson {

namespace {

/// Everything that the deck says about names and points, against the outline of the box.
Grid set_up(const Params& params, const Context& context) {
  Grid grid = make_grid(context.deck, params);
  try {
    solvers::grid::check_grid_problem(grid.problem);
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), error.help(), grid.box.where);
  }
  check_quantities(params.quantities, outline(grid), GroupList::names);
  check_lines(params.lines, outline(grid));
  check_exact(params.exact, grid.problem.dim);
  return grid;
}

/// What a run evaluates before it solves.
struct Data {
  Array<double> u;   ///< [nodes], Dirichlet values on the sides
  Array<double> b;   ///< [unknowns]
  double level = 0;  ///< of the sides, taken off u in b
};

Data evaluate(const Params& params, const Grid& grid, int threads) {
  Data data{.u = boundary_values(params, grid, threads), .b = {}};
  data.level = level_of(grid, data.u);
  data.b = right_hand_side(grid, data.u, data.level, threads);
  return data;
}

/// Constants were checked where they were read.
bool varies(const Params& params, const Grid& grid) {
  return !grid.source.is_constant() ||
         std::any_of(params.boundaries.begin(), params.boundaries.end(),
                     [](const BoundaryParams& boundary) { return !boundary.value.is_constant(); });
}

std::string sizes(const Grid& grid) {
  return fmt::format("{}", fmt::join(grid.problem.n.begin(), grid.problem.n.begin() + grid.problem.dim, " x "));
}

std::string describe_stencil(const Grid& grid) {
  if (grid.problem.stencil == solvers::grid::Stencil::star)
    return fmt::format("{}-point stencil", 2 * grid.problem.dim + 1);
  return fmt::format("{}-point stencil of linear elements", grid.problem.dim == 1 ? 3 : grid.problem.dim == 2 ? 9 : 27);
}

void summarise_grid(const Grid& grid, output::Summary& summary) {
  summary.set("mesh.nodes", grid.node_count());
  summary.set("space.order", 1);
  summary.set("space.dofs", grid.node_count());
  summary.set("space.unknowns", grid.problem.unknowns());
  summary.set("space.stencil", describe_stencil(grid));
}

}  // namespace

ExitCode run_on_grid(const Params& params, Context& context) {
  const Grid grid = set_up(params, context);
  Threads host(params.run.threads);
  log_info(fmt::format("grid: {} unknowns, {}", sizes(grid), describe_stencil(grid)));
  summarise_grid(grid, context.summary);
  Data data;
  {
    Scope scope(host, "right_hand_side");
    data = evaluate(params, grid, host.count());
  }
  const solvers::Report report = on_backend(params.run, context.summary, [&](auto& exec) {
    using Exec = std::remove_reference_t<decltype(exec)>;
    using Space = typename Exec::Space;
    const Array<double, Space> there = moved_to<Space>(std::move(data.b));
    const solvers::grid::GridOperator<Exec> A(grid.problem);
    Array<double, Space> x;
    const solvers::Report solved = solve_system<Exec>(exec, A, there.view(), params, context, x,
                                                      start_of(params, grid, interior(grid), data.level));
    insert_solution(grid, x, data.level, data.u);
    return solved;
  });
  summarise_solver(report, context.summary);
  if (needs_mesh(params)) {
    WeakForm form = weak_form();
    form.balances = grid.galerkin;
    report_on_mesh(params, data.u, report, form, context);
  }
  return conclude(params, report, context);
}

void check_on_grid(const Params& params, Context& context) {
  const Grid grid = set_up(params, context);
  if (varies(params, grid)) evaluate(params, grid, Threads(params.run.threads).count());  // for its checks
  check_values_on_mesh(params, context);
  const double nodes = static_cast<double>(grid.node_count()),
               vector = 8.0 * static_cast<double>(grid.problem.unknowns());
  fmt::print("grid       {} nodes, {} unknowns ({}), spacing {}\n", grid.node_count(), grid.problem.unknowns(),
             sizes(grid), fmt::join(grid.problem.h.begin(), grid.problem.h.begin() + grid.problem.dim, " "));
  fmt::print("matrix     none: {}{}\n", describe_stencil(grid),
             grid.problem.shift > 0 ? fmt::format(", shift {}", grid.problem.shift) : "");
  const std::string method =
      params.solver.type == "bcr"
          ? fmt::format("bcr, radix {}", params.solver.method.as<solvers::grid::BcrParams>().radix)
          : params.solver.type;
  const double solver =
      solvers::solver_bytes(params.solver, grid.problem.unknowns(), 0) + solvers::shift_bytes(grid.problem.unknowns());
  // Sine transforms keep extended lines, in slices, and as much for cuFFT.
  const double extended =
      params.solver.type == "fft"
          ? 2.0 * (grid.problem.dim - 1) * std::min(2 * vector, static_cast<double>(solvers::grid::sine_slice_bytes))
          : 0.0;
  fmt::print("solver     {}, precision {}\n", method, params.run.precision);
  const double mesh = needs_mesh(params) ? 24 * nodes * 8 : 0;
  fmt::print("memory\n");
  const double in_use = static_cast<double>(memory_use().host_peak);  // the program itself
  say_fit("host", in_use + 8 * nodes + 2 * vector + solver + mesh,
          in_use + static_cast<double>(host_bytes_available()));
  if (const CudaInfo gpu = cuda_info(); gpu.usable)
    say_fit("GPU", 2 * vector + solver + extended, static_cast<double>(gpu.free_bytes));
  else
    fmt::print("  {:<10} about {}; {}\n", "GPU", human_bytes(2 * vector + solver + extended), gpu.why_not);
  if (needs_mesh(params))
    fmt::print("mesh       made for files, [exact] and [[quantity]]; without them the grid is enough\n");
  summarise_grid(grid, context.summary);
}

}  // namespace tessera::physics::poisson
