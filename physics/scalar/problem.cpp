#include "physics/scalar/problem.hpp"

#include <fmt/format.h>

#include "base/profile.hpp"
#include "mesh/make_mesh.hpp"

namespace tessera::physics::scalar {

namespace {

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

}  // namespace

void check_exact(const ExactParams& exact, int dim) {
  if (!exact.gradient.empty() && static_cast<int>(exact.gradient.size()) != dim)
    throw Error(ExitCode::usage,
                fmt::format("exact.gradient has {} components, the mesh has {} dimensions", exact.gradient.size(), dim),
                "give one expression an axis", exact.where);
}

Problem make_problem(const Context& context, Params of_deck) {
  Problem problem;
  problem.params = std::move(of_deck);
  const Params& params = problem.params;
  Threads exec(params.run.threads);
  problem.mesh = mesh::make_mesh(context.deck, params.mesh, exec.count(), {context.stop, context.progress});
  {
    Scope scope(exec, "dofs");
    problem.dofs = dof_map(context.deck, problem.mesh, params.physics, exec.count());
    problem.dof_points = assembly::dof_points(problem.mesh, problem.dofs);
  }
  check_axes(expressions_of(params), problem.mesh.dim);
  check_quantities(params.quantities, problem.mesh);
  check_exact(params.exact, problem.mesh.dim);
  problem.material = material_of_cells(params.materials, problem.mesh);
  problem.facets = facet_terms(params.boundaries, problem.mesh);
  problem.dirichlet = dirichlet_data(params.boundaries, problem.mesh, problem.dofs, problem.dof_points);
  return problem;
}

}  // namespace tessera::physics::scalar
