// Materials on the mesh: which cell has which, and their laws at the quadrature points.
#include <fmt/format.h>

#include <algorithm>

#include "assembly/space/quadrature_points.hpp"
#include "physics/elasticity/problem.hpp"
#include "physics/entry.hpp"
#include "physics/evaluate.hpp"
#include "physics/places.hpp"
#include "physics/scalar/axis.hpp"
#include "physics/scalar/problem.hpp"

namespace tessera::physics::elasticity {

namespace {

constexpr Index cells_at_a_time = 256;

/// Calls visit(place, material, xyz) for every quadrature point; `place` is its place among the values of coefficients.
template <class Visit>
void at_places(const mesh::Mesh& mesh, const assembly::QuadraturePoints& points, const std::vector<Index>& material,
               int threads, Visit visit) {
  for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
    const Index cells = mesh.blocks[block].cells();
    const auto per_cell = static_cast<std::size_t>(points.per_cell(block));
    const auto before = static_cast<std::size_t>(points.before(block));
    for_each_with([] { return std::vector<double>(); }, (cells + cells_at_a_time - 1) / cells_at_a_time, threads,
                  [&](std::vector<double>& xyz, Offset chunk) {
                    const Index first = static_cast<Index>(chunk) * cells_at_a_time,
                                count = std::min(cells_at_a_time, cells - first);
                    xyz.resize(3 * per_cell * count);
                    points.of_cells(block, first, count, xyz.data());
                    for (std::size_t q = 0; q < per_cell * count; ++q) {
                      const Index cell = mesh.blocks[block].first_cell + first + static_cast<Index>(q / per_cell);
                      visit(before + per_cell * first + q, static_cast<std::size_t>(material[cell]), &xyz[3 * q]);
                    }
                  });
  }
}

forms::Coefficient sized(int components, const forms::Coefficient& like) {
  const std::size_t places = like.values.size() / static_cast<std::size_t>(like.components);
  return {components, like.per_point, std::vector<double>(places * components)};
}

}  // namespace

forms::ElasticityData elasticity_data(const Params& params, Body body, const mesh::Mesh& mesh,
                                      const assembly::DofMap& dofs, const std::vector<Index>& material, int threads) {
  const std::vector<MaterialParams>& materials = params.materials;
  const assembly::QuadraturePoints points(mesh, dofs);
  const int dim = mesh.dim, n = strain_size(body);
  std::vector<std::vector<deck::Expression>> moduli, force;
  std::size_t most = 0;
  bool heated = false, loaded = false;
  for (const MaterialParams& m : materials) {
    moduli.push_back(values_of(m));
    most = std::max(most, moduli.back().size());
    heated |= !m.expansion.empty() && !is_zero(m.temperature);
    force.push_back(m.body_force);
    force.back().resize(static_cast<std::size_t>(dim));
    loaded |= !std::all_of(m.body_force.begin(), m.body_force.end(), is_zero);
  }
  std::vector<std::size_t> given;
  for (auto& of_material : moduli) {
    given.push_back(of_material.size());
    of_material.resize(most);
  }
  const forms::Coefficient values = scalar::coefficient(moduli, material, mesh, points, threads);

  forms::ElasticityData data;
  data.region = material;
  data.stiffness = sized(n * (n + 1) / 2, values);
  if (heated) data.initial = sized(n, values);
  const auto set_law = [&](std::size_t place, std::size_t m, const double* xyz) {
    const Law law = law_of(materials[m], body, {&values.values[place * most], given[m]}, xyz);
    double* D = &data.stiffness.values[place * static_cast<std::size_t>(data.stiffness.components)];
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j) *D++ = law.D[i * n + j];
    if (heated) std::copy_n(law.initial.begin(), n, &data.initial.values[place * n]);
  };
  if (values.per_point)
    at_places(mesh, points, material, threads, set_law);
  else
    for (std::size_t m = 0; m < materials.size(); ++m) set_law(m, m, nullptr);
  if (loaded) data.force = scalar::coefficient(force, material, mesh, points, threads);
  if (body != Body::revolution) return data;

  for (forms::Coefficient* c : {&data.stiffness, &data.initial, &data.force})
    scalar::weigh(*c, material, mesh, points, threads);
  data.radius = {1, true, std::vector<double>(static_cast<std::size_t>(points.before(mesh.blocks.size())))};
  at_places(mesh, points, material, threads, [&](std::size_t place, std::size_t, const double* xyz) {
    data.radius.values[place] = xyz[mesh.measure.radius];
  });
  return data;
}

forms::ElasticityData elasticity_data(const Problem& problem) {
  const Discretisation& space = problem.space;
  return elasticity_data(problem.params, problem.body, space.mesh, space.dofs, problem.material, space.threads);
}

Problem make_problem(const Params& params, const Discretisation& space) {
  Problem problem{params, space, body_of(space.mesh.dim, space.mesh.measure.weighs(), params.plane), {}, {}, {}};
  problem.axis_rounding = axis_rounding(space);
  check_reactions(params, space.mesh);
  for (const MaterialParams& m : params.materials) {
    check_law(m, problem.body);
    if (const auto given = static_cast<int>(m.body_force.size()); given > 0 && given != space.mesh.dim)
      throw Error(
          ExitCode::usage,
          fmt::format("body_force has {} values, a {}-D mesh has {} axes", given, space.mesh.dim, space.mesh.dim),
          "give one an axis", m.where);
  }
  problem.material = material_of_cells(places(params.materials), space.mesh);
  problem.dirichlet = displacements(params, space);
  problem.facets = facet_terms(params, space.mesh);
  check_held(problem);
  return problem;
}

}  // namespace tessera::physics::elasticity
