#include "physics/scalar/system.hpp"

#include <fmt/format.h>

#include "assembly/facets/integrals.hpp"
#include "assembly/fields/field_at_points.hpp"
#include "physics/evaluate.hpp"
#include "physics/scalar/axis.hpp"
#include "physics/scalar/contact.hpp"

namespace tessera::physics::scalar {

namespace {

std::vector<double> robin_alpha(const BoundaryParams& boundary, const std::vector<double>& points,
                                std::span<const double> u, int threads) {
  if (boundary.type != "robin") return {};
  std::vector<double> alpha = evaluate(boundary.alpha, points, threads, u);
  for (double value : alpha)
    if (value < 0)
      throw Error(ExitCode::usage, fmt::format("robin alpha is negative ({})", value),
                  "alpha >= 0 keeps the problem positive definite", boundary.where);
  return alpha;
}

}  // namespace

assembly::FacetIntegral facet_integral(const FacetTerm& term, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                       int threads, std::span<const double> u) {
  const std::vector<double> points = assembly::facet_quadrature_points(mesh, dofs, term.group, threads);
  const BoundaryParams& boundary = *term.boundary;
  std::vector<double> at_points;
  if (boundary.value.depends_on_solution() || boundary.alpha.depends_on_solution())
    at_points = assembly::facet_values(mesh, dofs, term.group, u);
  assembly::FacetIntegral result{&term.group, robin_alpha(boundary, points, at_points, threads),
                                 evaluate(boundary.value, points, threads, at_points)};
  weigh(result.alpha, points, mesh.measure);
  weigh(result.g, points, mesh.measure);
  return result;
}

std::vector<assembly::FacetIntegral> facet_integrals(const Problem& problem, int threads, bool with_loads) {
  std::vector<assembly::FacetIntegral> facets;
  for (const FacetTerm& term : problem.facets)
    if (with_loads || term.boundary->type == "robin")
      facets.push_back(facet_integral(term, problem.mesh, problem.dofs, threads));
  return facets;
}

assembly::BoundaryData boundary_data(const Problem& problem, int threads, bool with_loads) {
  assembly::BoundaryData data;
  data.facets = facet_integrals(problem, threads, with_loads);
  data.terms = contact_matrices(problem);
  data.fixed = problem.dirichlet.dofs;
  data.values = problem.dirichlet.values;
  return data;
}

AtPoints at_points(const forms::ConvectionData& data) {
  const forms::DiffusionData& diffusion = data.diffusion;
  AtPoints result{.tangent = diffusion.k.per_point,
                  .varies = diffusion.k.per_point || diffusion.c.per_point || data.velocity.per_point};
  for (const forms::Coefficient* one :
       {&data.diffusion.k, &data.diffusion.c, &data.diffusion.f, &data.velocity, &data.divergence})
    if (one->per_point) result.bytes += sizeof(double) * static_cast<double>(one->values.size());
  return result;
}

}  // namespace tessera::physics::scalar
