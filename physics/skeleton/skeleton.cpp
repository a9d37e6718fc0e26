#include "physics/skeleton/skeleton.hpp"

#include <fmt/format.h>

#include "assembly/cells/assembler.hpp"
#include "assembly/fields/errors.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "base/profile.hpp"
#include "forms/diffusion.hpp"
#include "mesh/groups.hpp"
#include "mesh/make_mesh.hpp"
#include "output/vtk_writer.hpp"
#include "physics/common.hpp"
#include "solvers/solve.hpp"

namespace tessera::physics {

namespace {

// 1. The keys of the module: a struct with defaults, and its schema.
struct Params {
  std::string type;
  int order = 1;
  deck::Expression f;
};

deck::Section<Params> physics_section() {
  return deck::Section<Params>("physics", "L2 projection: find u with (u, v) = (f, v)")
      .key("type", &Params::type, {.help = "the physics module", .required = true, .example = "\"l2_projection\""})
      .key("order", &Params::order, {.help = "polynomial order", .min = 1, .max = 4})
      .key("f", &Params::f, {.help = "the function", .required = true, .example = "\"sin(pi*x)\""});
}

deck::Schema module_schema() {
  return {deck_section().description(),  mesh::mesh_section().description(), mesh::group_section().description(),
          run_section().description(),   physics_section().description(),    solvers::solver_description(),
          output_section().description()};
}

// 2. The deck, checked, on its mesh. `run` and `check` both start from here, so that they refuse the same decks.
struct Problem {
  Params params;
  solvers::SolverParams solver;
  std::string backend;
  int threads = 0;
  mesh::Mesh mesh;
  assembly::DofMap dofs;
  forms::DiffusionData data;
};

// k = 0 and c = 1 leave the mass matrix; f is given at the quadrature points.
forms::DiffusionData evaluate(const deck::Expression& f, const mesh::Mesh& mesh, const assembly::DofMap& dofs) {
  const assembly::QuadraturePoints points(mesh, dofs);
  forms::DiffusionData data;
  data.k.values = {0.0};
  data.c.values = {1.0};
  data.f.per_point = true;
  data.f.values.resize(static_cast<std::size_t>(points.before(mesh.blocks.size())));
  for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
    const Index cells = mesh.blocks[block].cells();
    const std::size_t count = static_cast<std::size_t>(cells) * points.per_cell(block);
    std::vector<double> xyz(3 * count);
    points.of_cells(block, 0, cells, xyz.data());
    deck::Evaluator(f).evaluate(xyz.data(), count, 0, data.f.values.data() + points.before(block));
  }
  return data;
}

Problem set_up(const Context& context) {
  deck::check(context.deck, module_schema());
  const RunParams run = run_section().read(context.deck);
  Problem problem;
  problem.params = physics_section().read(context.deck, true);
  problem.solver = solvers::read_solver(context.deck, run.precision);
  problem.backend = resolve_backend(context.backend.empty() ? run.backend : context.backend);
  solvers::check(problem.solver, problem.backend);
  problem.threads = Threads(context.threads > 0 ? context.threads : run.threads).count();
  problem.mesh = mesh::make_mesh(context.deck, mesh::mesh_section().read(context.deck, true), problem.threads);
  problem.dofs = assembly::make_dof_map(problem.mesh, problem.params.order, problem.threads);
  check_axes({problem.params.f}, problem.mesh.dim);
  problem.data = evaluate(problem.params.f, problem.mesh, problem.dofs);
  return problem;
}

class Skeleton final : public Module {
 public:
  deck::Schema schema() const override { return module_schema(); }

  ExitCode run(Context& context) override {
    const Problem problem = set_up(context);
    const mesh::Mesh& mesh = problem.mesh;
    const assembly::DofMap& dofs = problem.dofs;

    // 3. Assemble and solve on the backend of the deck. The algorithm is written once.
    std::vector<double> u;
    const solvers::Report report = with_backend(problem.backend, problem.threads, [&](auto& exec) {
      using Space = typename std::decay_t<decltype(exec)>::Space;
      summarise_backend(exec, context.summary);
      assembly::Assembler<std::decay_t<decltype(exec)>, forms::Diffusion> assembler(exec, mesh, dofs);
      linalg::Crs<Space> A = assembler.make_matrix();
      Array<double, Space> b(dofs.dofs), x(dofs.dofs);
      assembler.assemble(problem.data, A, b);
      x.set_zero();
      solvers::Report result = solvers::solve(exec, A, b.view(), x.view(), problem.solver);
      u = to_vector(x);
      return result;
    });

    // 4. Say and write what came out.
    summarise_mesh(mesh, dofs, 0, context.summary);
    context.summary.set("solver.iterations", report.iterations);
    context.summary.set("solver.converged", report.converged);
    context.summary.set("errors.u.l2", assembly::compute_errors(mesh, dofs, u, problem.params.f).l2);
    output::VtkData files;
    files.points = assembly::dof_points(mesh, dofs);
    for (const assembly::DofBlock& block : dofs.blocks)
      files.blocks.push_back(output::vtk_cells(block.shape, dofs.order,
                                               assembly::lagrange(block.shape, dofs.order).node_points, block.dofs));
    files.point_fields.push_back({"u", 1, u});
    if (output_section().read(context.deck).write) output::write_vtu(files, context.output_directory / "solution.vtu");
    return report.converged ? ExitCode::ok : ExitCode::solver;
  }

  void check(Context& context) override {
    const mesh::Mesh mesh = set_up(context).mesh;
    fmt::print("mesh       {} nodes, {} cells\ngroups     {}\n", mesh.nodes(), mesh.cells(), describe_groups(mesh));
  }
};

}  // namespace

std::unique_ptr<Module> make_skeleton() { return std::make_unique<Skeleton>(); }

}  // namespace tessera::physics
