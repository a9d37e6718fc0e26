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

/// Solves A x = b from x = 0 as the deck says. x [rows] is made. Phase: solve.
template <class Exec>
solvers::Report solve_system(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, const Params& params,
                             const Context& context, Array<double, typename Exec::Space>& x) {
  x = Array<double, typename Exec::Space>(b.size());
  x.set_zero();
  Scope scope(exec, "solve");
  solvers::Report report =
      solvers::solve(exec, A, b, x.view(), params.solver, monitor_of(context, params.solver.tolerance));
  // The least that an iterative method moves: its products with A.
  if (report.method.empty() && !solvers::is_direct(params.solver))
    scope.add_bytes(static_cast<double>(report.iterations + report.residuals) * A.bytes());
  return report;
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
    const solvers::Report solved = solve_system(exec, *system.A, system.b.view(), params, context, x);
    u = to_vector(x);
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

/// Copies the interior nodes of a grid, on any backend, into u [nodes].
template <class Space>
void insert_solution(const BoxGrid& grid, const Array<double, Space>& interior, Array<double>& u) {
  if constexpr (std::is_same_v<Space, Host>) {
    insert_interior(grid, interior, u);
  } else {
    Array<double> here(interior.size());
    copy(interior, here);
    insert_interior(grid, here, u);
  }
}

}  // namespace tessera::physics::scalar
