#include "physics/poisson/poisson.hpp"

#include "physics/poisson/grid.hpp"
#include "physics/poisson/grid_run.hpp"
#include "physics/poisson/system.hpp"
#include "physics/scalar/rest.hpp"
#include "physics/scalar/solve.hpp"

namespace tessera::physics {

namespace {

using namespace poisson;

/// The deck with what the command line says over it.
Params read_params(const Context& context) {
  Params params = read(context.deck);
  if (!context.backend.empty()) params.run.backend = context.backend;
  if (context.threads > 0) params.run.threads = context.threads;
  if (params.materials.empty()) params.materials.emplace_back();
  // A backend that is not there, or does not have the solver, is said before the mesh is read.
  solvers::check(params.solver, resolve_backend(params.run.backend));
  check_not_singular(params.materials, params.boundaries, params.physics.where);
  return params;
}

/// The problem of a deck with every check that needs no solution, but for those of the coefficients' values.
Problem set_up(const Context& context, Params params) {
  Problem problem = make_problem(context, std::move(params));
  plan(problem);
  return problem;
}

class Poisson final : public Module {
 public:
  deck::Schema schema() const override { return poisson::schema(); }
  ExitCode run(Context& context) override;
  void check(Context& context) override;
  LinearSystem assemble(Context& context, bool full) override;
};

ExitCode Poisson::run(Context& context) {
  Params params_read = read_params(context);
  if (needs_grid(params_read)) return run_on_grid(with_rest_named(std::move(params_read)), context);
  const Problem problem = set_up(context, std::move(params_read));
  return run_on_mesh(problem, weak_form(), context,
                     [&](auto& exec, auto& system) { make_system(exec, problem, system, context.summary); });
}

void Poisson::check(Context& context) {
  Params params = read_params(context);
  if (needs_grid(params)) return check_on_grid(with_rest_named(std::move(params)), context);
  const Problem problem = set_up(context, std::move(params));
  // Evaluated as a run does, for its checks: signs, finite values, numbers of components.
  const int threads = Threads(problem.params.run.threads).count();
  const AtPoints coefficients = at_points(
      {diffusion_data(problem.params.materials, problem.material, problem.mesh, problem.dofs, threads), {}, {}});
  boundary_data(problem, threads);
  if (problem.params.has_exact) check_values(problem.params.exact, problem.mesh, problem.dofs, threads);
  const Plan chosen = plan(problem);
  print_check(problem, coefficients, chosen.matrix_free ? chosen.why : "", context.summary);
}

LinearSystem Poisson::assemble(Context& context, bool full) {
  Params params = read_params(context);
  if (needs_grid(params))
    throw Error(ExitCode::usage, "a method of grids works without a matrix: there is none to export",
                "--set solver.type=cg and --set physics.discretisation=galerkin give the matrix of the finite elements",
                params.solver.where ? params.solver.where : params.physics.where);
  params.matrix.format = "crs";
  if (params.assembly.strategy == "matrix_free") params.assembly.strategy = "auto";  // the same operator, written down
  Problem problem = set_up(context, std::move(params));
  if (full) problem.dirichlet = {};
  Threads exec(problem.params.run.threads);
  System<Threads> system;
  make_system(exec, problem, system, context.summary);
  return of_u(std::move(system.matrix), std::move(system.b), system.level);
}

}  // namespace

std::unique_ptr<Module> make_poisson() { return std::make_unique<Poisson>(); }

}  // namespace tessera::physics
