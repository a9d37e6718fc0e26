#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/log.hpp"
#include "physics/convection_diffusion/grid.hpp"
#include "physics/convection_diffusion/problem.hpp"
#include "physics/evaluate.hpp"
#include "physics/grid/box_method.hpp"
#include "physics/grid/nodal_rows.hpp"
#include "physics/run/backend.hpp"
#include "physics/run/solve_linear_system.hpp"
#include "physics/run/space.hpp"
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
  const solvers::grid::LmsorParams relaxation = solvers::grid::relaxation_of(params.solver);
  Scope scope(exec, "solve");
  const solvers::grid::LmsorReport report = solvers::grid::solve_lmsor(
      exec, {{grid.m(0), grid.m(1)}, {problem.h[0], problem.h[1]}, f.view(), g.view(), source.view(), grid.mirrors}, u,
      relaxation, monitor_of(context, relaxation.tolerance));
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
  const std::vector<double> start = initial_values(params, grid.nodes, grid.unknowns);
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
  System<Exec> system;
  {
    LinearSystem host = make_grid_system(grid);
    system.nnz = host.A.nnz();
    system.matrix = {host.A.rows, host.A.cols, moved_to<Space>(std::move(host.A.row_ptr)),
                     moved_to<Space>(std::move(host.A.col_ind)), moved_to<Space>(std::move(host.A.values))};
    system.b = moved_to<Space>(std::move(host.b));
  }
  store(exec, params, system, context.summary);
  context.summary.set("space.nnz", system.nnz);
  Array<double, Space> x;
  const solvers::Report report = solve_linear_system(exec, *system.A, system.b.view(), params.solver, context, x,
                                                     start_of(params, grid.nodes, grid.unknowns, grid.level));
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
std::vector<double> nodal_values(const deck::Expression& exact, const BoxGrid& nodes, int threads) {
  std::vector<double> points;
  points.reserve(3 * static_cast<std::size_t>(nodes.node_count()));
  for (Index j = 0; j < nodes.nodes[1]; ++j)
    for (Index i = 0; i < nodes.nodes[0]; ++i)
      points.insert(points.end(), {nodes.coordinate(0, i), nodes.coordinate(1, j), 0.0});
  return evaluate(exact, points, threads);
}

/// Where the differences are exact but for their own error: between the nodes there is that of interpolation, too.
void report_nodal_error(const ExactParams& exact, const Grid& grid, const std::vector<double>& found, int threads,
                        output::Summary& summary) {
  const std::vector<double> u = nodal_values(exact.u.front(), grid.nodes, threads);
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error = std::abs(found[i] - u[i]);
    if (!(error <= most)) most = error;  // one that is not a number stays
    if (std::isnan(most)) break;
  }
  summary.set("errors.u.nodes", most);
}

/// Central differences on the nodes of a rectangle.
class RectangleMethod final : public BoxMethod {
 public:
  RectangleMethod(const deck::Deck& deck, const Params& params) : BoxMethod(deck, params), of_deck_(params) {}

  const char* phase() const override { return "coefficients"; }
  bool evaluate(const Context&) override;
  std::string describe() const override {
    return fmt::format("{} unknowns, cell Peclet number {:.3g}", unknowns(), grid_.cell_peclet);
  }
  void summarise(output::Summary& summary) const override;
  solvers::Report solve(Context& context) override;
  bool report(const solvers::Report& report, Context& context) override;

  void check_values(const Context& context) override;
  void print_grid() const override;
  Forecast forecast() const override;
  LinearSystem system(bool full) const override;

 private:
  std::vector<double> at_nodes() const override { return convection_diffusion::at_nodes(grid_); }
  WeakForm weak_form() const override;
  std::string unknowns() const { return sizes(grid_.unknowns.count, 2); }

  const Params& of_deck_;
  Grid grid_;
};

bool RectangleMethod::evaluate(const Context&) {
  grid_ = make_grid(deck_, of_deck_);
  check_names(grid_.nodes);
  return true;
}

void RectangleMethod::summarise(output::Summary& summary) const {
  summary.set("mesh.nodes", grid_.nodes.node_count());
  summary.set("space.discretisation", of_deck_.physics.discretisation);
  summary.set("space.order", 1);
  summary.set("space.dofs", grid_.nodes.node_count());
  summary.set("space.unknowns", grid_.size());
  summary.set("space.cell_peclet", grid_.cell_peclet);
}

solvers::Report RectangleMethod::solve(Context& context) {
  return on_backend(of_deck_.run, context.summary, [&](auto& exec) {
    return of_deck_.relaxes() ? relax(exec, of_deck_, grid_, context) : solve_matrix(exec, of_deck_, grid_, context);
  });
}

bool RectangleMethod::report(const solvers::Report& report, Context& context) {
  if (of_deck_.exact) report_nodal_error(*of_deck_.exact, grid_, at_nodes(), threads(), context.summary);
  return BoxMethod::report(report, context);
}

WeakForm RectangleMethod::weak_form() const {
  WeakForm form = convection_diffusion::weak_form(of_deck_, {});
  form.nodal = [this](const Solution& solution) {
    return difference_rows(grid_.nodes, solution, of_deck_.velocity[solution.material.front()]);
  };
  return form;
}

void RectangleMethod::check_values(const Context& context) {
  evaluate(context);
  if (of_deck_.exact) nodal_values(of_deck_.exact->u.front(), grid_.nodes, threads());
  check_exact_values(context);
}

void RectangleMethod::print_grid() const {
  const auto& h = grid_.nodes.problem.h;
  fmt::print("grid       {} nodes, {} unknowns, spacing {} and {}\n", grid_.nodes.node_count(), unknowns(), h[0], h[1]);
  fmt::print("convection cell Peclet number {:.3g}{}\n", grid_.cell_peclet,
             grid_.cell_peclet > 1 ? ": layers will oscillate" : "");
}

GridMethod::Forecast RectangleMethod::forecast() const {
  const double unknowns = static_cast<double>(grid_.size()), nodes = static_cast<double>(grid_.nodes.node_count());
  // Of a solver with a matrix, the five-point matrix too.
  const double system = of_deck_.relaxes() ? 0 : 72 * unknowns + solvers::shift_bytes(grid_.size());
  solvers::ProblemSize size{.rows = unknowns, .entries = 5 * unknowns, .dim = 2};
  const double on_host = system + solvers::solver_bytes(of_deck_.solver, size);
  size.on_cuda = true;
  return {.host = 8 * (4 * unknowns + nodes) + on_host + mesh_bytes(grid_.nodes),
          .device = 32 * unknowns + system + solvers::solver_bytes(of_deck_.solver, size)};
}

LinearSystem RectangleMethod::system(bool full) const {
  if (full)
    throw Error(ExitCode::usage, "differences on a grid have no rows for nodes with Dirichlet values",
                "leave --full out", of_deck_.physics.where);
  const Grid grid = make_grid(deck_, of_deck_);
  LinearSystem system = make_grid_system(grid);
  return of_u(std::move(system.A), std::move(system.b), grid.level);
}

}  // namespace

std::unique_ptr<GridMethod> make_grid_method(const deck::Deck& deck, const Params& params) {
  return std::make_unique<RectangleMethod>(deck, params);
}

}  // namespace tessera::physics::convection_diffusion
