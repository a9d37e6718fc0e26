// Materials on the mesh: which cell has which, and their laws at the quadrature points.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "assembly/space/quadrature_points.hpp"
#include "physics/elasticity/problem.hpp"
#include "physics/entry.hpp"
#include "physics/evaluate.hpp"
#include "physics/places.hpp"
#include "physics/scalar/axis.hpp"
#include "physics/scalar/evolution.hpp"
#include "physics/scalar/problem.hpp"
#include "solvers/eigen/eigen.hpp"

namespace tessera::physics::elasticity {

namespace {

/// Calls visit(place, material, xyz) for every quadrature point; `place` is its place among the values of coefficients.
template <class Visit>
void at_places(const mesh::Mesh& mesh, const assembly::QuadraturePoints& points, const std::vector<Index>& material,
               int threads, Visit visit) {
  for_each_points(mesh, points, threads, [&](std::size_t block, Index first, Index, std::span<const double> xyz) {
    const auto per_cell = static_cast<std::size_t>(points.per_cell(block));
    const std::size_t place = static_cast<std::size_t>(points.before(block)) + per_cell * first;
    for (std::size_t q = 0; 3 * q < xyz.size(); ++q) {
      const Index cell = mesh.blocks[block].first_cell + first + static_cast<Index>(q / per_cell);
      visit(place + q, static_cast<std::size_t>(material[cell]), &xyz[3 * q]);
    }
  });
}

forms::Coefficient sized(int components, const forms::Coefficient& like) {
  const std::size_t places = like.values.size() / static_cast<std::size_t>(like.components);
  return {components, like.per_point, std::vector<double>(places * components)};
}

}  // namespace

assembly::RegionExpressions body_forces(const Params& params, int dim) {
  assembly::RegionExpressions result;
  bool any = false;
  for (const MaterialParams& m : params.materials) {
    result.push_back(m.body_force);
    result.back().resize(static_cast<std::size_t>(dim));
    any |= !std::all_of(m.body_force.begin(), m.body_force.end(), is_zero);
  }
  if (!any) result.clear();
  return result;
}

forms::ElasticityData elasticity_data(const Params& params, Body body, const mesh::Mesh& mesh,
                                      const assembly::DofMap& dofs, const std::vector<Index>& material, int threads,
                                      bool forces) {
  const std::vector<MaterialParams>& materials = params.materials;
  const assembly::QuadraturePoints points(mesh, dofs);
  const int n = strain_size(body);
  std::vector<std::vector<deck::Expression>> moduli;
  std::size_t most = 0;
  bool heated = false;
  for (const MaterialParams& m : materials) {
    moduli.push_back(values_of(m));
    most = std::max(most, moduli.back().size());
    heated |= !m.expansion.empty() && !is_zero(m.temperature);
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
  const assembly::RegionExpressions force = forces ? body_forces(params, mesh.dim) : assembly::RegionExpressions{};
  if (!force.empty()) data.force = scalar::coefficient(force, material, mesh, points, threads);
  if (body != Body::revolution) return data;

  for (forms::Coefficient* c : {&data.stiffness, &data.initial, &data.force})
    scalar::weigh(*c, material, mesh, points, threads);
  data.radius = {1, true, std::vector<double>(static_cast<std::size_t>(points.before(mesh.blocks.size())))};
  at_places(mesh, points, material, threads, [&](std::size_t place, std::size_t, const double* xyz) {
    data.radius.values[place] = xyz[mesh.measure.radius];
  });
  return data;
}

forms::ElasticityData elasticity_data(const Problem& problem, bool forces) {
  const Discretisation& space = problem.space;
  return elasticity_data(problem.params, problem.body, space.mesh, space.dofs, problem.material, space.threads, forces);
}

void check_densities(const Params& params) {
  for (const MaterialParams& m : params.materials)
    if (is_zero(m.density))
      throw Error(ExitCode::usage, "modes are asked for, and a material has no density",
                  "density = \"7850\" (kg/m^3, steel)", m.where);
}

forms::DiffusionData mass_data(const Problem& problem) {
  scalar::Storage storage{.coefficients = {}, .keys = "density"};
  std::vector<scalar::MaterialParams> places;  // for messages
  for (const MaterialParams& m : problem.params.materials) {
    storage.coefficients.push_back(m.density);
    places.emplace_back().where = m.where;
  }
  const Discretisation& space = problem.space;
  return scalar::storage_data(storage, places, problem.material, space.mesh, space.dofs, space.threads);
}

assembly::PointField law_field(const Problem& problem, int threads) {
  /// Evaluators belong to one thread each, so every thread has its own set; a law of constants is there once.
  struct Laws {
    std::vector<std::vector<std::vector<deck::Evaluator>>> of_thread;  // [threads][materials][values]
    std::vector<std::optional<Law>> constant;                          // [materials]
  };
  const std::vector<MaterialParams>& materials = problem.params.materials;
  auto laws = std::make_shared<Laws>();
  laws->of_thread.resize(static_cast<std::size_t>(std::max(default_threads(), threads)));
  for (const MaterialParams& m : materials) {
    const std::vector<deck::Expression> values = values_of(m);
    for (auto& own : laws->of_thread) own.emplace_back(values.begin(), values.end());
    std::vector<double> constants;
    for (const deck::Expression& e : values)
      if (e.is_constant()) constants.push_back(e.constant());
    laws->constant.emplace_back();
    if (constants.size() == values.size()) laws->constant.back() = law_of(m, problem.body, constants, nullptr);
  }
  const auto evaluate = [&problem, laws](Index cell, int count, const deck::Points& at, double* numbers) {
    const auto m = static_cast<std::size_t>(problem.material[cell]);
    const auto points = static_cast<std::size_t>(count);
    if (laws->constant[m]) {
      for (std::size_t p = 0; p < points; ++p, numbers += law_size(problem.body))
        laws->constant[m]->pack(problem.body, numbers);
      return;
    }
    auto& evaluators = laws->of_thread[static_cast<std::size_t>(current_part())][m];
    std::vector<double> values(evaluators.size() * points), at_point(evaluators.size());
    for (std::size_t k = 0; k < evaluators.size(); ++k) evaluators[k].at(at, points, 0, &values[k * points]);
    for (std::size_t p = 0; p < points; ++p, numbers += law_size(problem.body)) {
      for (std::size_t k = 0; k < evaluators.size(); ++k) at_point[k] = values[k * points + p];
      law_of(problem.params.materials[m], problem.body, at_point, at.xyz + 3 * p).pack(problem.body, numbers);
    }
  };
  std::vector<int> diagonal;
  for (int i = 0, n = strain_size(problem.body); i < n; ++i) diagonal.push_back(i * n + i);
  return {law_size(problem.body), evaluate,
          [&problem, laws](Index cell) {
            return laws->constant[static_cast<std::size_t>(problem.material[cell])].has_value();
          },
          diagonal};
}

Problem make_problem(const Params& params, const Discretisation& space) {
  Problem problem{params, space, body_of(space.mesh.dim, space.mesh.measure.weighs(), params.plane), {}, {}, {}};
  problem.axis_rounding = axis_rounding(space);
  if (params.where_plane && problem.body != Body::plane_strain && problem.body != Body::plane_stress)
    throw Error(ExitCode::usage,
                fmt::format("physics.plane = \"{}\" on {}", params.plane,
                            problem.body == Body::revolution ? std::string("a mesh with an axis")
                                                             : fmt::format("a {}-D mesh", space.mesh.dim)),
                problem.body == Body::revolution
                    ? "leave plane out: a section through a body of revolution is neither plane strain nor plane stress"
                    : "leave plane out: plane strain and plane stress are of 2-D meshes",
                params.where_plane);
  check_reactions(params, space.mesh);
  for (const MaterialParams& m : params.materials) {
    check_law(m, problem.body);
    if (const auto given = static_cast<int>(m.body_force.size()); given > 0 && given != space.mesh.dim)
      throw Error(ExitCode::usage,
                  fmt::format("body_force has {} value{}, a {}-D mesh has {} ax{}s", given, given == 1 ? "" : "s",
                              space.mesh.dim, space.mesh.dim, space.mesh.dim == 1 ? "i" : "e"),
                  "give one an axis", m.where);
  }
  problem.material = material_of_cells(places(params.materials), space.mesh);
  problem.dirichlet = displacements(params, space);
  problem.facets = facet_terms(params, space.mesh);
  if (!space.ranks && solvers::shift_of(params.solver) == 0) check_held(problem);
  return problem;
}

}  // namespace tessera::physics::elasticity
