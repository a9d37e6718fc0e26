#include "physics/convection_diffusion/convection_diffusion.hpp"

#include "physics/convection_diffusion/grid.hpp"
#include "physics/convection_diffusion/problem.hpp"
#include "physics/scalar/rest.hpp"
#include "physics/scalar/solve.hpp"

namespace tessera::physics {

namespace {

using namespace convection_diffusion;

/// The deck with what the command line says over it.
Params read_params(const Context& context) {
  Params params = convection_diffusion::read(context.deck);
  scalar::Params& diffusion = params.diffusion;
  if (!context.backend.empty()) diffusion.run.backend = context.backend;
  if (context.threads > 0) diffusion.run.threads = context.threads;
  // A backend that is not there, or does not have the solver, is said before the mesh is read.
  solvers::check(diffusion.solver, resolve_backend(diffusion.run.backend));
  if (params.on_grid()) diffusion = scalar::with_rest_named(std::move(diffusion));
  if (!params.on_grid()) scalar::check_not_singular(diffusion.materials, diffusion.boundaries, diffusion.physics.where);
  return params;
}

Problem set_up(const Context& context, Params params) {
  scalar::Problem diffusion = scalar::make_problem(context, std::move(params.diffusion));
  check_velocity(params.velocity, diffusion.params.materials, diffusion.mesh.dim);
  return {std::move(params), std::move(diffusion)};
}

class ConvectionDiffusion final : public Module {
 public:
  deck::Schema schema() const override { return convection_diffusion::schema(); }
  ExitCode run(Context& context) override;
  void check(Context& context) override;
  LinearSystem assemble(Context& context, bool full) override;
};

ExitCode ConvectionDiffusion::run(Context& context) {
  Params of_deck = read_params(context);
  if (of_deck.on_grid()) return run_on_grid(of_deck, context);
  const Problem problem = set_up(context, std::move(of_deck));
  context.summary.set("space.discretisation", problem.params.discretisation);
  scalar::WeakForm form = weak_form(problem.params);
  // Of an edge in a periodic side the diffusion of upwind is made from both sides together: no side has a flow of its own.
  if (problem.params.upwind() && !problem.diffusion.periodic.empty()) form.balances = false;
  return scalar::run_on_mesh(problem.diffusion, form, context,
                             [&](auto& exec, auto& system) { make_system(exec, problem, system, context.summary); });
}

void ConvectionDiffusion::check(Context& context) {
  Params of_deck = read_params(context);
  if (of_deck.on_grid()) return check_on_grid(of_deck, context);
  const Problem problem = set_up(context, std::move(of_deck));
  // Evaluated as a run does, for its checks: signs, finite values, numbers of components.
  const int threads = Threads(problem.diffusion.params.run.threads).count();
  scalar::AtPoints coefficients;
  {
    const forms::ConvectionData data = convection_data(problem, threads);
    report_peclet(problem, data, threads, context.summary);
    coefficients = scalar::at_points(data);
  }
  scalar::boundary_data(problem.diffusion, threads);
  const scalar::Params& diffusion = problem.diffusion.params;
  if (diffusion.has_exact)
    scalar::check_values(diffusion.exact, problem.diffusion.mesh, problem.diffusion.dofs, threads);
  scalar::print_check(problem.diffusion, coefficients, "", context.summary);
}

LinearSystem ConvectionDiffusion::assemble(Context& context, bool full) {
  Params of_deck = read_params(context);
  if (of_deck.on_grid()) {
    if (full)
      throw Error(ExitCode::usage, "differences on a grid have no rows for nodes with Dirichlet values",
                  "leave --full out", of_deck.diffusion.physics.where);
    const Grid grid = make_grid(context.deck, of_deck);
    GridSystem system = make_grid_system(grid);
    return scalar::of_u(std::move(system.A), std::move(system.b), grid.level);
  }
  of_deck.diffusion.matrix.format = "crs";
  Problem problem = set_up(context, std::move(of_deck));
  if (full) problem.diffusion.dirichlet = {};
  Threads exec(problem.diffusion.params.run.threads);
  scalar::System<Threads> system;
  make_system(exec, problem, system, context.summary);
  return scalar::of_u(std::move(system.matrix), std::move(system.b), system.level);
}

}  // namespace

std::unique_ptr<Module> make_convection_diffusion() { return std::make_unique<ConvectionDiffusion>(); }

}  // namespace tessera::physics
