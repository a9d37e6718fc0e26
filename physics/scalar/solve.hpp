#pragma once
// From a system on a backend to files: what every module of one unknown does after it has assembled.
#include <type_traits>
#include <utility>
#include <vector>

#include "base/profile.hpp"
#include "physics/scalar/grid.hpp"
#include "physics/scalar/periodic.hpp"
#include "physics/scalar/report.hpp"
#include "physics/scalar/system.hpp"
#include "solvers/solve.hpp"

namespace tessera::physics::scalar {

/// Where a solution starts and what of it is known. On the host.
struct Start {
  std::vector<double> u;  ///< [rows]; empty: the constant nearest to the data
  DirichletData fixed;    ///< of the rows of the system
};

/// Solves A x = b as the deck says. x [rows] is made. Phase: solve.
template <class Exec>
solvers::Report solve_system(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, const Params& params,
                             const Context& context, Array<double, typename Exec::Space>& x, const Start& start = {}) {
  using Space = typename Exec::Space;
  x = start.u.empty() ? Array<double, Space>(b.size()) : to_space<Space>(start.u);
  const auto rows = to_space<Space>(start.fixed.dofs);
  const auto values = to_space<Space>(start.fixed.values);
  Scope scope(exec, "solve");
  solvers::Report report =
      solvers::solve(exec, A, b, x.view(), params.solver, monitor_of(context, params.solver.tolerance),
                     {rows.view(), values.view(), !start.u.empty()});
  // The least that an iterative method moves: its products with A.
  if (report.method.empty() && !solvers::is_direct(params.solver))
    scope.add_bytes(static_cast<double>(report.iterations + report.residuals) * A.bytes());
  return report;
}

/// The start of the deck and the fixed values of u - level. Where the deck has none, u starts at the level that its Dirichlet values made.
inline Start start_of(const Problem& problem, double level) {
  std::vector<double> u = initial_values(problem.params, problem.mesh, problem.dofs, problem.dof_points, level);
  for (double& value : u) value -= level;
  if (u.empty() && !problem.dirichlet.dofs.empty()) u.assign(static_cast<std::size_t>(problem.dofs.dofs), 0.0);
  return {std::move(u), below(problem.dirichlet, level)};
}
/// The same on a grid, where nothing is fixed among the unknowns.
inline Start start_of(const Params& params, const BoxGrid& grid, const NodeRange& unknowns, double level) {
  std::vector<double> u = initial_values(params, grid, unknowns);
  for (double& value : u) value -= level;
  if (u.empty()) u.assign(static_cast<std::size_t>(unknowns.count[0]) * unknowns.count[1] * unknowns.count[2], 0.0);
  return {std::move(u), {}};
}

/// A run on a mesh: make(exec, system) fills the System of the problem on the backend of the deck, whose rows are those of
/// `form`.
template <class Make>
ExitCode run_on_mesh(const Problem& problem, const WeakForm& form, Context& context, Make make) {
  const Params& params = problem.params;
  std::vector<double> u;
  Offset nnz = 0;
  const solvers::Report report = on_backend(params.run, context.summary, [&](auto& exec) {
    using Exec = std::remove_reference_t<decltype(exec)>;
    System<Exec> system;
    make(exec, system);
    nnz = system.nnz;
    Array<double, typename Exec::Space> x;
    const solvers::Report solved =
        solve_system(exec, *system.A, system.b.view(), params, context, x, start_of(problem, system.level));
    u = to_vector(x);
    for (double& value : u) value += system.level;
    for (std::size_t i = 0; i < problem.dirichlet.dofs.size(); ++i)
      u[problem.dirichlet.dofs[i]] = problem.dirichlet.values[i];
    return solved;
  });
  summarise_mesh(problem.mesh, problem.dofs, nnz, context.summary);
  summarise_solver(report, context.summary);
  if (problem.unfolded) u = unfold(*problem.unfolded, u);
  const std::vector<Index> fixed = fixed_dofs(problem);
  const Solution solution{problem.mesh,
                          problem.unfolded ? problem.unfolded->dofs : problem.dofs,
                          problem.unfolded ? problem.unfolded->dof_points : problem.dof_points,
                          problem.material,
                          params.materials,
                          params.boundaries,
                          problem.facets,
                          problem.periodic,
                          fixed,
                          form,
                          u,
                          Threads(params.run.threads).count()};
  report_solution(params, solution, report, context);
  return conclude(params, report, context);
}

/// The array in another space; on the host it is handed on.
template <class Space, class T>
Array<T, Space> moved_to(Array<T> values) {
  if constexpr (std::is_same_v<Space, Host>) {
    return values;
  } else {
    Array<T, Space> there(values.size());
    copy(values, there);
    return there;
  }
}

/// Copies the interior nodes of a grid, on any backend, into u [nodes], with `level` added.
template <class Space>
void insert_solution(const BoxGrid& grid, const Array<double, Space>& interior, double level, Array<double>& u) {
  if constexpr (std::is_same_v<Space, Host>) {
    insert_interior(grid, interior, level, u);
  } else {
    Array<double> here(interior.size());
    copy(interior, here);
    insert_interior(grid, here, level, u);
  }
}

}  // namespace tessera::physics::scalar
