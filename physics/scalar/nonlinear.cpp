#include "physics/scalar/nonlinear_impl.hpp"

#include <fmt/format.h>

#include "physics/scalar/contact.hpp"
#include "solvers/solve.hpp"

namespace tessera::physics::scalar {

namespace {

/// Of the materials, and of contacts: what depends on the mean of two sides and flows from one to the other has a
/// derivative that is not symmetric.
bool is_symmetric(const Params& params, const TangentTraits& of_materials) {
  return of_materials.symmetric && (params.newton.picard() || !contacts_depend_on_solution(params));
}

}  // namespace

void allow_for_tangent(const Params& params, Traits& traits) {
  traits.nonlinear = true;
  if (!is_nonlinear(params)) return;
  traits.solver.grid = traits.matrix_free = false;
  const int dim = mesh::known_dimension(params.mesh);
  const TangentTraits tangent = tangent_traits(params.materials, dim, params.newton.picard());
  if (is_symmetric(params, tangent)) return;
  traits.solver.symmetric = false;
  traits.solver.why_not_symmetric = tangent.carries && !tangent.of_u
                                        ? "a velocity, or a source of grad u, makes a tangent that is not"
                                        : "coefficients that depend on u make a tangent that is not";
  traits.solver.type = "bicgstab";
}

void check_tangent(const Params& params, int dim) {
  if (!is_nonlinear(params) || !solvers::find_solver(params.solver.type)->needs.symmetric ||
      is_symmetric(params, tangent_traits(params.materials, dim, params.newton.picard())))
    return;
  throw Error(ExitCode::usage,
              fmt::format("in {} dimensions the tangent of these coefficients is not symmetric, which {} takes it for",
                          dim, params.solver.type),
              "choose solver.type = \"bicgstab\" or \"gmres\", or let the coefficients depend on every component of "
              "the gradient alike",
              params.solver.where);
}

AtPoints evaluate_tangent(const Problem& problem, std::span<const double> u) {
  const Linearisation coefficients(problem, problem.params.newton.picard());
  const forms::LinearisedData data = coefficients.tangent(u, 1);
  coefficients.facet_residuals(u, 1);
  coefficients.facet_tangents(u, 1);
  ContactEntries(problem, problem.params).at(u, ContactSlopes::all);
  AtPoints result{.tangent = true, .varies = true, .form = assembly::traits_of(forms::Linearised(), problem.mesh.dim)};
  for (const forms::NamedCoefficient& one : forms::Linearised::coefficients(data))
    result.bytes += sizeof(double) * static_cast<double>(one.values->values.size());
  return result;
}

template std::unique_ptr<Nonlinear<Threads>> make_nonlinear(Threads&, const Problem&, const Params&, output::Summary&);

}  // namespace tessera::physics::scalar
