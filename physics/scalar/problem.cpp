#include "physics/scalar/problem.hpp"

#include <fmt/format.h>

#include "base/profile.hpp"
#include "mesh/make_mesh.hpp"
#include "physics/scalar/axis.hpp"
#include "physics/scalar/parts.hpp"
#include "physics/scalar/periodic.hpp"
#include "physics/scalar/rest.hpp"

namespace tessera::physics::scalar {

void check_exact(const ExactParams& exact, int dim) {
  if (!exact.gradient.empty() && static_cast<int>(exact.gradient.size()) != dim)
    throw Error(ExitCode::usage,
                fmt::format("exact.gradient has {} components, the mesh has {} dimensions", exact.gradient.size(), dim),
                "give one expression an axis", exact.where);
}

Problem make_problem(const Context& context, Params of_deck) {
  Problem problem;
  problem.params = std::move(of_deck);
  problem.periodic = take_periodic(problem.params.boundaries);
  const Params& params = problem.params;
  Threads exec(params.run.threads);
  problem.mesh = mesh::make_mesh(context.deck, params.mesh, exec.count(), {context.stop, context.progress},
                                 mesh::Revolution::known);
  add_rest(params, problem.periodic, problem.mesh);
  {
    Scope scope(exec, "dofs");
    const std::vector<Index> same = periodic_vertices(context.deck, params, problem.periodic, problem.mesh);
    check_periodic_distances(problem.periodic, problem.mesh, same);
    make_dofs(context.deck, same, exec.count(), problem);
  }
  check_axes(expressions_of(params), problem.mesh.dim);
  check_quantities(params.quantities, problem.mesh);
  check_lines(params.lines, problem.mesh);
  check_exact(params.exact, problem.mesh.dim);
  problem.material = material_of_cells(params.materials, problem.mesh);
  problem.facets = facet_terms(params.boundaries, problem.mesh);
  const assembly::DofMap& dofs = problem.unfolded ? problem.unfolded->dofs : problem.dofs;
  problem.dirichlet = dirichlet_data(params.boundaries, problem.mesh, dofs,
                                     problem.unfolded ? problem.unfolded->dof_points : problem.dof_points);
  if (problem.unfolded)
    problem.dirichlet = fold(*problem.unfolded, problem.dofs.dofs, problem.dirichlet, params.boundaries);
  check_on_axis(problem);
  check_parts(problem);
  return problem;
}

}  // namespace tessera::physics::scalar
