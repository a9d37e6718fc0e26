#include "physics/advection/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "assembly/edge/boundary_normals.hpp"
#include "base/error.hpp"
#include "physics/conservation/sides.hpp"
#include "physics/evaluate.hpp"

namespace tessera::physics::advection {

namespace {

void check_components(const std::vector<deck::Expression>& of, const char* key, int dim, const deck::Where& where) {
  if (!of.empty() && static_cast<int>(of.size()) != dim)
    throw Error(ExitCode::usage,
                fmt::format("{} has {} component{}, the mesh {} dimension{}", key, of.size(), of.size() == 1 ? "" : "s",
                            dim, dim == 1 ? "" : "s"),
                "give one expression an axis", where);
}

InflowList make_list(const Problem& problem, const BoundaryParams& boundary, const mesh::Group& group) {
  const Discretisation& space = problem.space;
  const auto dim = static_cast<std::size_t>(space.mesh.dim);
  InflowList list;
  list.value = *boundary.value;
  list.where = boundary.where;
  list.varies = list.value.depends_on_time() || problem.velocity_varies();
  const Index owned = space.ranks ? space.index_map.owned() : space.dofs.dofs;
  for (const assembly::FacetNormal& facet : assembly::facet_normals(space.mesh, space.dofs, group)) {
    if (facet.dof >= owned) continue;
    if (list.nodes.empty() || list.nodes.back() != facet.dof) {
      list.nodes.push_back(facet.dof);
      list.normals.insert(list.normals.end(), dim, 0.0);
    }
    double* const n = &list.normals[list.normals.size() - dim];
    for (std::size_t d = 0; d < dim; ++d) n[d] += facet.n[d];
  }
  return list;
}

}  // namespace

bool Problem::velocity_varies() const {
  return std::any_of(params.flux.velocity.begin(), params.flux.velocity.end(),
                     [](const deck::Expression& e) { return e.depends_on_time(); });
}

Problem make_problem(const Params& params, const Discretisation& space) {
  const mesh::Mesh& mesh = space.mesh;
  check_components(params.flux.velocity, "flux.velocity", mesh.dim, params.flux.where);
  check_components(params.flux.function, "flux.function", mesh.dim, params.flux.where);
  Problem problem{params, space, {}};
  conservation::Conditions conditions(mesh);
  conditions.add_periodic(conservation::sides(params.periodic));
  for (const BoundaryParams& boundary : params.boundaries) {
    const conservation::Side side{boundary.on, boundary.type, boundary.where};
    const mesh::Group group = conservation::facets_of(side, mesh);
    conditions.add(side, group);
    if (boundary.type == "inflow") problem.inflows.push_back(make_list(problem, boundary, group));
  }
  if (!space.ranks) conditions.require_all();
  return problem;
}

std::vector<double> velocity_at(const Problem& problem, double t) {
  const Discretisation& space = problem.space;
  std::vector<Index> all(static_cast<std::size_t>(space.dofs.dofs));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  return conservation::evaluate_all(space, problem.params.flux.velocity, all, t);
}

std::vector<double> values_at(const Problem& problem, const InflowList& list, double t) {
  const Discretisation& space = problem.space;
  const std::size_t count = list.nodes.size(), dim = static_cast<std::size_t>(space.mesh.dim);
  std::vector<double> values = conservation::evaluate_all(space, {list.value}, list.nodes, t);
  std::vector<double> flow(count, 0.0);
  const std::vector<double> v = conservation::evaluate_all(space, problem.params.flux.velocity, list.nodes, t);
  for (std::size_t k = 0; !v.empty() && k < count; ++k)
    for (std::size_t d = 0; d < dim; ++d) flow[k] += v[d * count + k] * list.normals[k * dim + d];
  const std::vector<double> origin(3 * count, 0.0);
  for (std::size_t d = 0; d < problem.params.flux.function.size(); ++d) {
    const std::vector<double> slope =
        evaluate(deck::derivative(problem.params.flux.function[d], deck::Variable::u), origin, space.threads, values);
    for (std::size_t k = 0; k < count; ++k) flow[k] += slope[k] * list.normals[k * dim + d];
  }
  for (std::size_t k = 0; k < count; ++k)
    if (!(flow[k] < 0)) values[k] = std::numeric_limits<double>::quiet_NaN();
  return values;
}

}  // namespace tessera::physics::advection
