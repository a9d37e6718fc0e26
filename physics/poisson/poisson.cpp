#include "physics/poisson/poisson.hpp"

#include <fmt/format.h>

#include <optional>

#include "assembly/assemble.hpp"
#include "assembly/dirichlet.hpp"
#include "base/log.hpp"
#include "base/profile.hpp"
#include "mesh/make_mesh.hpp"
#include "physics/poisson/problem.hpp"
#include "physics/poisson/report.hpp"
#include "solvers/solve.hpp"

namespace tessera::physics {

namespace {

using namespace poisson;

/// The problem on the host, before a backend is chosen.
struct Problem {
  Params params;
  mesh::Mesh mesh;
  assembly::DofMap dofs;
  std::vector<double> dof_points;
  std::vector<Index> material;
  std::vector<FacetTerm> facets;
  DirichletData dirichlet;
};

void check_exact(const ExactParams& exact, int dim) {
  if (!exact.gradient.empty() && static_cast<int>(exact.gradient.size()) != dim)
    throw Error(ExitCode::usage, fmt::format("exact.gradient has {} components, the mesh has {} dimensions", exact.gradient.size(), dim),
                "give one expression an axis", exact.where);
}

/// An order that a shape of the mesh does not have is an error at the deck's physics.order.
assembly::DofMap dof_map(const deck::Deck& deck, const mesh::Mesh& mesh, const PhysicsParams& physics, int threads) {
  try {
    return assembly::make_dof_map(mesh, physics.order, threads);
  } catch (const Error& error) {
    if (error.where()) throw;
    const deck::Where where = deck.where("physics.order");
    throw Error(error.code(), error.what(), error.help(), where ? where : physics.where);
  }
}

Problem set_up(const Context& context) {
  Problem problem;
  problem.params = read(context.deck);
  Params& params = problem.params;
  if (!context.backend.empty()) params.run.backend = context.backend;
  if (context.threads > 0) params.run.threads = context.threads;
  if (params.materials.empty()) params.materials.emplace_back();
  resolve_backend(params.run.backend);  // a backend that is not there is said before the mesh is read
  check_not_singular(params.materials, params.boundaries, params.physics.where);

  Threads exec(params.run.threads);
  problem.mesh = mesh::make_mesh(context.deck, params.mesh, exec.count());
  {
    Scope scope(exec, "dofs");
    problem.dofs = dof_map(context.deck, problem.mesh, params.physics, exec.count());
    problem.dof_points = assembly::dof_points(problem.mesh, problem.dofs);
  }
  check_quantities(params.quantities, problem.mesh);
  check_exact(params.exact, problem.mesh.dim);
  problem.material = material_of_cells(params.materials, problem.mesh);
  problem.facets = facet_terms(params.boundaries, problem.mesh);
  problem.dirichlet = dirichlet_data(params.boundaries, problem.mesh, problem.dofs, problem.dof_points);
  return problem;
}

template <class Exec>
void add_boundary(const Problem& problem, assembly::Assembler<Exec>& assembler, linalg::Crs<typename Exec::Space>& A,
                  View<double> b, int threads) {
  for (const FacetTerm& term : problem.facets) {
    const std::vector<double> points = assembler.facet_points(*term.group);
    std::vector<double> alpha;
    if (term.boundary->type == "robin") {
      alpha = evaluate(term.boundary->alpha, points, threads);
      for (double value : alpha)
        if (value < 0)
          throw Error(ExitCode::usage, fmt::format("robin alpha is negative ({})", value),
                      "alpha >= 0 keeps the problem positive definite", term.boundary->where);
    }
    assembler.add_facets(*term.group, alpha, evaluate(term.boundary->value, points, threads), A, b);
  }
}

/// Assembles and solves; u comes back on the host.
template <class Exec>
solvers::Report solve_on(Exec& exec, const Problem& problem, Context& context, std::vector<double>& u, Offset& nnz) {
  using Space = typename Exec::Space;
  const int threads = Threads(problem.params.run.threads).count();
  const Index n = problem.dofs.dofs;
  solvers::Report report;
  Array<double, Space> x(n);
  {
    linalg::Crs<Space> A;
    Array<double, Space> b(n);
    {
      std::optional<assembly::Assembler<Exec>> assembler;
      {
        Scope scope(exec, "assemble.setup");
        assembler.emplace(exec, problem.mesh, problem.dofs);
        A = assembler->make_matrix();
      }
      {
        Scope scope(exec, "coefficients");
        assembler->set_data(diffusion_data(problem.params.materials, problem.material, problem.mesh, problem.dofs, threads));
      }
      {
        Scope scope(exec, "assemble", assembler->refill_bytes(A));
        assembler->refill(A, b);
      }
      Scope scope(exec, "boundary");
      add_boundary(problem, *assembler, A, b, threads);
      assembly::eliminate_dirichlet(exec, A, b, problem.dirichlet.dofs, problem.dirichlet.values);
    }
    nnz = A.nnz();
    x.set_zero();
    Scope scope(exec, "solve");
    solvers::Monitor monitor;
    monitor.stop = context.stop;
    if (context.progress)
      monitor.progress = [&](int iteration, double residual) {
        context.progress(-1, fmt::format("iteration {}, residual {:.2e}", iteration, residual));
      };
    report = solvers::solve(exec, A, b.view(), x.view(), problem.params.solver, monitor);
  }
  u = to_vector(x);
  return report;
}

class Poisson final : public Module {
 public:
  deck::Schema schema() const override { return poisson::schema(); }
  ExitCode run(Context& context) override;
  void check(Context& context) override;
};

ExitCode Poisson::run(Context& context) {
  const Problem problem = set_up(context);
  const Params& params = problem.params;
  std::vector<double> u;
  Offset nnz = 0;
  const solvers::Report report = with_backend(params.run.backend, params.run.threads, [&](auto& exec) {
    summarise_backend(exec, context.summary);
    return solve_on(exec, problem, context, u, nnz);
  });
  summarise_mesh(problem.mesh, problem.dofs, nnz, context.summary);
  summarise_solver(report, context.summary);

  const Solution solution{problem.mesh, problem.dofs, problem.dof_points, problem.material, params.materials, u,
                          Threads(params.run.threads).count()};
  Threads exec(params.run.threads);
  {
    Scope scope(exec, "post");
    if (params.has_exact) report_errors(params.exact, solution, context.summary);
    report_quantities(params.quantities, solution, context.summary);
  }
  {
    Scope scope(exec, "output");
    write_solution(params, solution, report.converged, context.output_directory);
  }
  if (report.interrupted) return ExitCode::interrupted;
  if (!report.converged) {
    const Error error = not_converged(report, params.solver);
    context.summary.set("status", "not_converged");
    context.summary.set("error", std::string(error.what()));
    fmt::print(stderr, "{}", error.report());
    return ExitCode::solver;
  }
  return ExitCode::ok;
}

void Poisson::check(Context& context) {
  const Problem problem = set_up(context);
  // Evaluated for its checks: signs, finite values, numbers of components.
  diffusion_data(problem.params.materials, problem.material, problem.mesh, problem.dofs, Threads(problem.params.run.threads).count());
  print_check(problem.params, problem.mesh, problem.dofs, problem.dirichlet, context.summary);
}

}  // namespace

std::unique_ptr<Module> make_poisson() { return std::make_unique<Poisson>(); }

}  // namespace tessera::physics
