#include "physics/skeleton/skeleton.hpp"

#include <fmt/format.h>

#include "assembly/assemble.hpp"
#include "assembly/errors.hpp"
#include "base/profile.hpp"
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

class Skeleton final : public Module {
 public:
  deck::Schema schema() const override {
    return {deck_section().description(),    mesh::mesh_section().description(),      run_section().description(),
            physics_section().description(), solvers::solver_section().description(), output_section().description()};
  }

  ExitCode run(Context& context) override {
    // 2. Read and check the deck, make the mesh and the space.
    deck::check(context.deck, schema());
    const Params params = physics_section().read(context.deck, true);
    const solvers::SolverParams solver = solvers::solver_section().read(context.deck);
    const RunParams where = run_section().read(context.deck);
    const int threads = Threads(context.threads > 0 ? context.threads : where.threads).count();
    const mesh::Mesh mesh = mesh::make_mesh(context.deck, mesh::mesh_section().read(context.deck, true), threads);
    const assembly::DofMap dofs = assembly::make_dof_map(mesh, params.order, threads);

    // 3. Assemble and solve on the backend of the deck. The algorithm is written once.
    std::vector<double> u;
    const std::string backend = context.backend.empty() ? where.backend : context.backend;
    const solvers::Report report = with_backend(backend, threads, [&](auto& exec) {
      using Space = typename std::decay_t<decltype(exec)>::Space;
      summarise_backend(exec, context.summary);
      assembly::Assembler assembler(exec, mesh, dofs);
      linalg::Crs<Space> A = assembler.make_matrix();
      Array<double, Space> b(dofs.dofs), x(dofs.dofs);
      assembler.assemble(data(params, assembler), A, b);
      x.set_zero();
      solvers::Report result = solvers::solve(exec, A, b.view(), x.view(), solver);
      u = to_vector(x);
      return result;
    });

    // 4. Say and write what came out.
    summarise_mesh(mesh, dofs, 0, context.summary);
    context.summary.set("solver.iterations", report.iterations);
    context.summary.set("solver.converged", report.converged);
    context.summary.set("errors.u.l2", assembly::compute_errors(mesh, dofs, u, params.f).l2);
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
    deck::check(context.deck, schema());
    const mesh::Mesh mesh =
        mesh::make_mesh(context.deck, mesh::mesh_section().read(context.deck, true), context.threads);
    fmt::print("mesh       {} nodes, {} cells\ngroups     {}\n", mesh.nodes(), mesh.cells(), describe_groups(mesh));
  }

 private:
  // k = 0 and c = 1 leave the mass matrix; f is given at the quadrature points.
  template <class Exec>
  static assembly::DiffusionData data(const Params& params, const assembly::Assembler<Exec>& assembler) {
    assembly::DiffusionData data;
    data.k.values = {0.0};
    data.c.values = {1.0};
    const std::vector<double> points = assembler.quadrature_points();
    data.f.per_point = true;
    data.f.values.resize(points.size() / 3);
    deck::Evaluator(params.f).evaluate(points.data(), data.f.values.size(), 0, data.f.values.data());
    return data;
  }
};

}  // namespace

std::unique_ptr<Module> make_skeleton() { return std::make_unique<Skeleton>(); }

}  // namespace tessera::physics
