#include "physics/convection_diffusion/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/log.hpp"
#include "mesh/geometry.hpp"

namespace tessera::physics::convection_diffusion {

namespace {

using Expressions = std::vector<std::vector<deck::Expression>>;

/// (div k)_d = sum_e d k_de / d x_e at the quadrature points.
assembly::Coefficient divergence_of_k(const Expressions& k, const poisson::Problem& problem,
                                      const assembly::QuadraturePoints& points, int threads) {
  const mesh::Mesh& mesh = problem.mesh;
  const mesh::BoundingBox box = mesh::bounding_box(mesh);
  const double step = 1e-6 * std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
  assembly::Coefficient result;
  result.components = mesh.dim;
  result.per_point = true;
  result.values.assign(static_cast<std::size_t>(points.before(mesh.blocks.size())) * mesh.dim, 0.0);
  const std::size_t components = k.front().size();
  for (int e = 0; e < mesh.dim; ++e) {
    std::array<double, 3> shift{};
    shift[e] = step;
    const assembly::Coefficient ahead = poisson::coefficient(k, problem.material, mesh, points, threads, shift);
    shift[e] = -step;
    const assembly::Coefficient behind = poisson::coefficient(k, problem.material, mesh, points, threads, shift);
    for (std::size_t q = 0; q < result.values.size() / mesh.dim; ++q)
      for (int d = 0; d < mesh.dim; ++d) {
        const int entry = d <= e ? d * mesh.dim - d * (d - 1) / 2 + e - d : e * mesh.dim - e * (e - 1) / 2 + d - e;
        if (components == 1 && d != e) continue;
        const std::size_t at = q * components + (components == 1 ? 0 : entry);
        result.values[q * mesh.dim + d] += (ahead.values[at] - behind.values[at]) / (2 * step);
      }
  }
  return result;
}

}  // namespace

void check_velocity(const Expressions& velocity, const std::vector<poisson::MaterialParams>& materials, int dim) {
  for (std::size_t m = 0; m < velocity.size(); ++m) {
    const int given = static_cast<int>(velocity[m].size());
    if (given == 0 || given == dim) continue;
    throw Error(
        ExitCode::usage,
        fmt::format("velocity has {} component{}, the mesh has {} dimensions", given, given == 1 ? "" : "s", dim),
        "give one expression an axis", velocity[m].front().where() ? velocity[m].front().where() : materials[m].where);
  }
}

assembly::ConvectionData convection_data(const Problem& problem, int threads) {
  const poisson::Problem& diffusion = problem.diffusion;
  const std::vector<poisson::MaterialParams>& materials = diffusion.params.materials;
  const mesh::Mesh& mesh = diffusion.mesh;
  const assembly::QuadraturePoints points(mesh, diffusion.dofs);
  assembly::ConvectionData data;
  data.diffusion = poisson::diffusion_data(materials, diffusion.material, mesh, diffusion.dofs, threads);
  Expressions velocity = problem.params.velocity;
  if (std::all_of(velocity.begin(), velocity.end(), [](const auto& v) { return v.empty(); })) return data;
  for (auto& v : velocity) v.resize(static_cast<std::size_t>(mesh.dim));
  data.velocity = poisson::coefficient(velocity, diffusion.material, mesh, points, threads);
  if (problem.params.supg() && data.diffusion.k.per_point) {
    Expressions k;
    for (const poisson::MaterialParams& m : materials) k.push_back(poisson::spread(m, data.diffusion.k.components));
    data.divergence = divergence_of_k(k, diffusion, points, threads);
  }
  return data;
}

void report_peclet(const Problem& problem, const assembly::ConvectionData& data, int threads,
                   output::Summary& summary) {
  const double peclet = assembly::largest_peclet(problem.diffusion.mesh, problem.diffusion.dofs, data, threads);
  summary.set("space.cell_peclet", peclet);
  if (peclet > 1 && !problem.params.supg())
    warn(
        fmt::format("the cell Peclet number reaches {:.3g} > 1: galerkin oscillates where the solution has layers; "
                    "refine, or choose "
                    "discretisation = \"supg\"",
                    peclet));
}

}  // namespace tessera::physics::convection_diffusion
