#include "physics/convection_diffusion/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "physics/scalar/axis.hpp"

namespace tessera::physics::convection_diffusion {

namespace {

using Expressions = std::vector<std::vector<deck::Expression>>;

}  // namespace

void check_velocity(const Expressions& velocity, const std::vector<MaterialParams>& materials, int dim) {
  for (std::size_t m = 0; m < velocity.size(); ++m) {
    check_axes(velocity[m], dim);
    const int given = static_cast<int>(velocity[m].size());
    if (given == 0 || given == dim) continue;
    throw Error(
        ExitCode::usage,
        fmt::format("velocity has {} component{}, the mesh has {} dimensions", given, given == 1 ? "" : "s", dim),
        "give one expression an axis", velocity[m].front().where() ? velocity[m].front().where() : materials[m].where);
  }
}

bool velocity_varies(const Params& params) {
  for (const auto& of_material : params.velocity)
    for (const deck::Expression& component : of_material)
      if (!component.is_constant()) return true;
  return false;
}

WeakForm weak_form(const Params& params, std::span<const Index> became) {
  WeakForm form;
  form.supg = params.supg();
  form.convects = std::any_of(params.velocity.begin(), params.velocity.end(), [](const auto& v) { return !v.empty(); });
  form.velocity_varies = velocity_varies(params);
  if (params.upwind())
    form.add = [&params, became](const Solution& solution, const std::vector<Index>& cells,
                                 const std::vector<char>& inside, const std::vector<Index>& slot,
                                 std::vector<double>& residual) {
      add_upwinding(params, became, solution, cells, inside, slot, residual);
    };
  form.data = [&velocities = params.velocity, convects = form.convects, supg = form.supg](
                  const std::vector<MaterialParams>& materials, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                  const std::vector<Index>& material, std::span<const double>, int threads) {
    forms::ConvectionData data;
    data.diffusion = diffusion_data(materials, material, mesh, dofs, threads);
    if (!convects) return data;
    Expressions velocity = velocities;
    for (auto& v : velocity) v.resize(static_cast<std::size_t>(mesh.dim));
    const assembly::QuadraturePoints points(mesh, dofs);
    data.velocity = coefficient(velocity, material, mesh, points, threads);
    weigh(data.velocity, material, mesh, points, threads);
    if (supg) data.divergence = forms::divergence_of(mesh, dofs, data.diffusion.k, threads);
    return data;
  };
  return form;
}

forms::ConvectionData convection_data(const Params& params, const Problem& problem, bool sources) {
  std::vector<MaterialParams> materials = params.materials;
  if (!sources)
    for (MaterialParams& m : materials) m.reaction = m.source = deck::Expression(0.0);
  return weak_form(params, {}).data(materials, problem.mesh, problem.dofs, problem.material, {}, problem.space.threads);
}

double largest_peclet(const Problem& problem, const forms::ConvectionData& data) {
  return forms::largest_peclet(problem.mesh, problem.dofs, data, problem.space.threads);
}

void report_peclet(const Params& params, double peclet, output::Summary& summary) {
  summary.set("space.cell_peclet", peclet);
  if (peclet > 1 && params.physics.discretisation == "galerkin")
    warn(
        fmt::format("the cell Peclet number reaches {:.3g} > 1: galerkin oscillates where the solution has layers; "
                    "refine, or choose "
                    "discretisation = \"supg\" or \"upwind\"",
                    peclet));
}

}  // namespace tessera::physics::convection_diffusion
