#include "physics/grid/box_method.hpp"

#include <fmt/format.h>

#include "mesh/make_mesh.hpp"
#include "physics/run/errors.hpp"
#include "physics/run/shown.hpp"
#include "physics/scalar/results.hpp"

namespace tessera::physics::grid {

namespace {

/// The mesh of a grid's box with its nodes as dofs. Phases of the mesh, dofs.
struct GridMesh {
  int threads;
  mesh::Mesh mesh;
  assembly::Space space;

  GridMesh(const Params& params, const Context& context)
      : threads(Threads(params.run.threads).count()),
        mesh(mesh::make_mesh(context.deck, params.mesh, threads, {context.stop, context.progress})) {
    Threads exec(threads);
    Scope scope(exec, "dofs");
    space = assembly::Space(assembly::make_dof_map(mesh, 1, threads));
  }
};

}  // namespace

void BoxMethod::check_names(const BoxGrid& grid) const {
  const mesh::Mesh box = outline(grid);
  check_quantities(params_.quantities, box, GroupList::names);
  check_shown(params_.output, box, GroupList::names);
  check_lines(params_.lines, box);
  check_exact(params_.exact, grid.problem.dim);
}

void BoxMethod::check_exact_values(const Context& context) const {
  if (!params_.exact) return;
  const GridMesh grid(params_, context);
  physics::check_values(*params_.exact, grid.mesh, grid.space.dofs, grid.threads);
}

bool BoxMethod::needs_mesh() const {
  return params_.output.write || params_.exact || !params_.quantities.empty() || !params_.lines.empty();
}

double BoxMethod::mesh_bytes(const BoxGrid& grid) const {
  return needs_mesh() ? 24 * static_cast<double>(grid.node_count()) * 8 : 0;
}

bool BoxMethod::report(const solvers::Report& report, Context& context) {
  summarise_solver(report, context.summary);
  if (!needs_mesh()) return true;
  const GridMesh grid(params_, context);
  summarise_mesh(grid.mesh, grid.space, 0, context.summary);
  const std::vector<Index> material = material_of_cells(places(params_.materials), grid.mesh);
  const std::vector<double> points = assembly::dof_points(grid.mesh, grid.space.dofs);
  const DirichletData dirichlet = dirichlet_data(params_.boundaries, grid.mesh, grid.space.dofs, points);
  const std::vector<FacetTerm> terms = facet_terms(params_.boundaries, grid.mesh);
  const std::vector<double> u = at_nodes();
  const std::vector<BoundaryParams> no_periodic;
  const NodalSolution nodal{grid.mesh, grid.space, points, dirichlet.dofs, u, grid.threads};
  ScalarResults results(
      Solution{nodal, material, params_.materials, params_.boundaries, terms, no_periodic, weak_form()});
  report_solution(params_, {.fields = scalar_fields(), .quantities = flux_quantities()}, nodal, results,
                  report.converged, context);
  return true;
}

Start start_of(const Params& params, const BoxGrid& grid, const NodeRange& unknowns, double level) {
  std::vector<double> u = initial_values(params, grid, unknowns);
  for (double& value : u) value -= level;
  if (u.empty()) u.assign(static_cast<std::size_t>(unknowns.count[0]) * unknowns.count[1] * unknowns.count[2], 0.0);
  return {std::move(u), {}};
}

std::string sizes(const std::array<Index, 3>& counts, int dim) {
  return fmt::format("{}", fmt::join(counts.begin(), counts.begin() + dim, " x "));
}

}  // namespace tessera::physics::grid
