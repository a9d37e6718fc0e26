#include "physics/euler/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "assembly/edge/boundary_normals.hpp"
#include "physics/conservation/sides.hpp"
#include "physics/euler/walls.hpp"
#include "physics/groups.hpp"
#include "physics/places.hpp"

namespace tessera::physics::euler {

namespace {

using assembly::FacetNormal;
using Vector = std::array<double, 3>;

BoundaryKind kind_of(const std::string& type) {
  static const std::map<std::string, BoundaryKind> kinds = {{"slip_wall", BoundaryKind::slip_wall},
                                                            {"symmetry", BoundaryKind::slip_wall},
                                                            {"inflow", BoundaryKind::inflow},
                                                            {"outflow", BoundaryKind::outflow},
                                                            {"pressure_outflow", BoundaryKind::pressure_outflow},
                                                            {"reservoir", BoundaryKind::reservoir},
                                                            {"far_field", BoundaryKind::far_field}};
  return kinds.at(type);
}

/// Those of all facets at a node as one.
Vector common_normal(std::span<const FacetNormal> facets) {
  Vector sum{};
  for (const FacetNormal& facet : facets)
    for (std::size_t d = 0; d < 3; ++d) sum[d] += facet.n[d];
  const double length = std::hypot(sum[0], sum[1], sum[2]);
  for (double& x : sum) x /= length > 0 ? length : 1;
  return sum;
}

void check_components(const std::vector<deck::Expression>& of, const char* key, int dim, const deck::Where& where) {
  if (!of.empty() && static_cast<int>(of.size()) != dim)
    throw Error(ExitCode::usage,
                fmt::format("{} has {} component{}, the mesh {} dimension{}", key, of.size(), of.size() == 1 ? "" : "s",
                            dim, dim == 1 ? "" : "s"),
                "give one expression an axis", where);
}

void check_components(const StateParams& state, int dim, const deck::Where& where) {
  check_components(state.velocity, "velocity", dim, where);
  check_components(state.momentum, "momentum", dim, where);
}

/// rho, p, v or rho, E, m.
std::vector<deck::Expression> numbers_of(const StateParams& state) {
  std::vector<deck::Expression> result{*state.density, state.is_primitive() ? *state.pressure : *state.energy};
  const std::vector<deck::Expression>& rest = state.is_primitive() ? state.velocity : state.momentum;
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

/// Normals of walls at the nodes that have some.
using Walls = std::map<Index, std::vector<Vector>>;

/// Where an open side meets a wall the gas goes through it along the wall: a state that one of both conditions has made
/// then keeps the other, so that neither is at work when the flow is at rest.
Vector along_walls(const Vector& normal, const std::vector<Vector>& walls) {
  Vector along = normal;
  for (const Vector& wall : walls) {
    const double by = along[0] * wall[0] + along[1] * wall[1] + along[2] * wall[2];
    for (std::size_t d = 0; d < 3; ++d) along[d] -= by * wall[d];
  }
  const double length = std::hypot(along[0], along[1], along[2]);
  constexpr double least = 0.1;  // of a normal that nearly is that of the walls nothing is left that would be one
  if (length < least) return normal;
  for (double& x : along) x /= length;
  return along;
}

/// `walls`: those of slip walls are added, those of others go along them.
BoundaryList make_list(const Problem& problem, const BoundaryParams& boundary, const mesh::Group& group, Walls& walls) {
  const Discretisation& space = problem.space;
  const mesh::Mesh& mesh = space.mesh;
  const int dim = mesh.dim;
  BoundaryList list;
  list.kind = kind_of(boundary.type);
  list.groups = fmt::format("{}", fmt::join(boundary.on, "', '"));
  list.where = boundary.where;
  check_components(boundary, dim, boundary.where);
  if (list.kind == BoundaryKind::pressure_outflow) list.values = {*boundary.pressure};
  if (list.kind == BoundaryKind::reservoir) list.values = {*boundary.total_pressure, *boundary.total_temperature};
  if (list.kind == BoundaryKind::inflow || list.kind == BoundaryKind::far_field) {
    list.values = numbers_of(boundary);
    list.primitive = boundary.is_primitive();
  }
  const Index owned = space.ranks ? space.index_map.owned() : space.dofs.dofs;
  const std::vector<FacetNormal> all = assembly::nodal_facet_normals(mesh, space.dofs, group);
  std::vector<std::vector<Vector>> normals;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    while (last < all.size() && all[last].dof == all[first].dof) ++last;
    const Index dof = all[first].dof;
    const std::span<const FacetNormal> facets(&all[first], last - first);
    first = last;
    if (dof >= owned) continue;
    list.nodes.push_back(dof);
    if (list.kind == BoundaryKind::slip_wall)
      normals.push_back(walls[dof] = wall_normals(space, facets));
    else if (const auto wall = walls.find(dof); wall != walls.end())
      normals.push_back({along_walls(common_normal(facets), wall->second)});
    else
      normals.push_back({common_normal(facets)});
  }
  const std::size_t count = list.nodes.size(), axes = static_cast<std::size_t>(dim);
  list.normals.assign(count * axes * axes, 0.0);
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t which = 0; which < normals[k].size(); ++which)
      for (std::size_t d = 0; d < axes; ++d) list.normals[(which * axes + d) * count + k] = normals[k][which][d];
  return list;
}

/// Whether a state of these numbers still has its pressure: beside a kinetic energy that is far larger it is lost in
/// rounding.
template <int dim>
bool keeps_pressure(const Gas& gas, const std::vector<double>& values, std::size_t count, std::size_t k) {
  Primitive<dim> w{.rho = values[k], .v = {}, .p = values[count + k]};
  for (std::size_t d = 0; d < dim; ++d) w.v[d] = values[(2 + d) * count + k];
  double own[numbers<dim>];
  conservative<dim>(gas, w, own);
  constexpr double slack = 1e-3;
  return is_admissible<dim>(gas, own) && std::abs(primitive<dim>(gas, own).p - w.p) <= slack * w.p;
}

/// rho and p of what stands there, of which both are positive. `values` [count, 2 + dim] rho, p, v or rho, E, m become
/// rho, p, v.
void check_states(const Problem& problem, bool primitive, std::span<const Index> nodes, std::vector<double>& values,
                  const std::string& whose, const deck::Where& where) {
  const std::size_t count = nodes.size(), dim = static_cast<std::size_t>(problem.space.mesh.dim);
  for (std::size_t k = 0; k < count; ++k) {
    const double rho = values[k];
    double p = values[count + k];
    if (!primitive) {
      double kinetic = 0;
      for (std::size_t d = 0; d < dim; ++d) {
        double& m = values[(2 + d) * count + k];
        kinetic += 0.5 * m * m / rho;
        m /= rho;
      }
      p = values[count + k] = problem.gas.pressure(rho, p - kinetic);
    }
    const bool dense = problem.gas.covolume * rho >= 1;
    const bool kept = dim == 1   ? keeps_pressure<1>(problem.gas, values, count, k)
                      : dim == 2 ? keeps_pressure<2>(problem.gas, values, count, k)
                                 : keeps_pressure<3>(problem.gas, values, count, k);
    if (rho > 0 && p > 0 && !dense && kept) continue;
    const double* const x = &problem.space.dof_points[3 * static_cast<std::size_t>(nodes[k])];
    throw Error(ExitCode::usage,
                fmt::format("{} has {} at ({:.6g}, {:.6g}, {:.6g}): density {:.6g}, pressure {:.6g}", whose,
                            !(rho > 0) ? "a density that is not positive"
                            : dense    ? "a density above 1 / covolume"
                            : !(p > 0) ? "a pressure that is not positive"
                                       : "numbers beyond rounding, beside which its pressure is lost,",
                            x[0], x[1], x[2], rho, p),
                rho > 0 && p > 0 && !dense
                    ? "squares of velocities times the density are at most 1e12 times the pressure"
                    : "a gas has a positive density and pressure everywhere",
                where);
  }
}

/// Nodes of the cells of an entry, each once.
std::vector<Index> nodes_of(const InitialState& state, const Discretisation& space) {
  std::vector<Index> nodes;
  if (state.on.empty()) {
    nodes.resize(static_cast<std::size_t>(space.dofs.dofs));
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
  }
  for (const std::string& name : state.on)
    for (const Index cell : find_group(space.mesh, name, space.mesh.dim, state.where).entities) {
      const assembly::DofBlock& block = space.dofs.block_of(cell);
      const Index* const of_cell = block.cell(cell - block.first_cell);
      nodes.insert(nodes.end(), of_cell, of_cell + block.nodes);
    }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

template <int dim>
void put_states(const Problem& problem, std::span<const Index> nodes, const std::vector<double>& values,
                std::vector<double>& u) {
  const std::size_t count = nodes.size();
  for (std::size_t k = 0; k < count; ++k) {
    Primitive<dim> w;
    w.rho = values[k];
    w.p = values[count + k];
    for (std::size_t d = 0; d < dim; ++d) w.v[d] = values[(2 + d) * count + k];
    double own[numbers<dim>];
    conservative<dim>(problem.gas, w, own);
    for (int c = 0; c < numbers<dim>; ++c) u[static_cast<std::size_t>(problem.space.row(nodes[k], c))] = own[c];
  }
}

}  // namespace

bool BoundaryList::varies() const {
  return std::any_of(values.begin(), values.end(), [](const deck::Expression& e) { return e.depends_on_time(); });
}

Problem make_problem(const Params& params, const Discretisation& space) {
  const mesh::Mesh& mesh = space.mesh;
  Problem problem{params, space, make_gas(params.gas.gamma, params.gas.covolume), {}};
  conservation::Conditions conditions(mesh);
  conditions.add_periodic(conservation::sides(params.periodic));
  // Walls that meet share normals: they are one list, and the first.
  BoundaryParams all_walls;
  mesh::Group of_walls;
  std::vector<std::pair<const BoundaryParams*, mesh::Group>> open;
  for (const BoundaryParams& boundary : params.boundaries) {
    const conservation::Side side{boundary.on, boundary.type, boundary.where};
    const mesh::Group group = conservation::facets_of(side, mesh);
    conditions.add(side, group);
    if (kind_of(boundary.type) != BoundaryKind::slip_wall) {
      open.emplace_back(&boundary, group);
      continue;
    }
    all_walls.type = boundary.type;
    all_walls.where = boundary.where;
    all_walls.on.insert(all_walls.on.end(), boundary.on.begin(), boundary.on.end());
    of_walls.dim = group.dim;
    of_walls.entities.insert(of_walls.entities.end(), group.entities.begin(), group.entities.end());
  }
  Walls walls;
  if (!all_walls.on.empty()) problem.boundaries.push_back(make_list(problem, all_walls, of_walls, walls));
  for (const auto& [boundary, group] : open) problem.boundaries.push_back(make_list(problem, *boundary, group, walls));
  if (!space.ranks) conditions.require_all();
  std::stable_sort(problem.boundaries.begin(), problem.boundaries.end(),
                   [](const BoundaryList& a, const BoundaryList& b) { return a.kind < b.kind; });
  return problem;
}

std::vector<double> first_state(const Problem& problem) {
  const Discretisation& space = problem.space;
  const double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> u(static_cast<std::size_t>(space.rows()), none);
  for (const InitialState& state : problem.params.states) {
    check_components(state, space.mesh.dim, state.where);
    const std::vector<Index> nodes = nodes_of(state, space);
    std::vector<double> values =
        conservation::evaluate_all(space, numbers_of(state), nodes, problem.params.time->start);
    check_states(problem, state.is_primitive(), nodes, values, "[[initial]]", state.where);
    if (space.mesh.dim == 1) put_states<1>(problem, nodes, values, u);
    if (space.mesh.dim == 2) put_states<2>(problem, nodes, values, u);
    if (space.mesh.dim == 3) put_states<3>(problem, nodes, values, u);
  }
  const Index owned = space.ranks ? space.index_map.owned() : space.dofs.dofs;
  for (Index dof = 0; dof < owned; ++dof) {
    if (!std::isnan(u[static_cast<std::size_t>(space.row(dof, 0))])) continue;
    const double* const x = &space.dof_points[3 * static_cast<std::size_t>(dof)];
    throw Error(ExitCode::usage, fmt::format("no [[initial]] for ({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2]),
                "add one without `on`, which holds everywhere, before the others");
  }
  return u;
}

std::vector<double> values_at(const Problem& problem, const BoundaryList& list, double t) {
  if (list.values.empty()) return {};
  std::vector<double> values = conservation::evaluate_all(problem.space, list.values, list.nodes, t);
  const std::string whose = fmt::format("[[boundary]] on '{}' at t = {:g}", list.groups, t);
  if (list.kind == BoundaryKind::inflow || list.kind == BoundaryKind::far_field) {
    check_states(problem, list.primitive, list.nodes, values, whose, list.where);
    return values;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0) continue;
    const double* const x = &problem.space.dof_points[3 * static_cast<std::size_t>(list.nodes[i % list.nodes.size()])];
    throw Error(ExitCode::usage,
                fmt::format("{} has {} = {:.6g} at ({:.6g}, {:.6g}, {:.6g})", whose,
                            i < list.nodes.size() ? "a pressure" : "a temperature", values[i], x[0], x[1], x[2]),
                "pressures and temperatures are positive", list.where);
  }
  if (list.kind == BoundaryKind::reservoir)
    for (std::size_t k = list.nodes.size(); k < values.size(); ++k)
      values[k] *= problem.gas.gamma * problem.params.gas.constant;
  return values;
}

std::vector<double> constrained(const Problem& problem, std::vector<double> u) {
  const Discretisation& space = problem.space;
  Threads exec(space.threads);
  const auto nodes = static_cast<std::size_t>(space.dofs.dofs), n = static_cast<std::size_t>(space.components);
  Array<double, Host> columns(static_cast<Offset>(u.size()));
  for (std::size_t node = 0; node < nodes; ++node)
    for (std::size_t c = 0; c < n; ++c) columns.data()[c * nodes + node] = u[node * n + c];
  for (const BoundaryList& list : problem.boundaries)
    constrain(exec, space.mesh.dim, problem.gas,
              {list.kind, to_space<Host>(list.nodes), to_space<Host>(list.normals),
               to_space<Host>(values_at(problem, list, problem.params.time->start))},
              columns.view());
  for (std::size_t node = 0; node < nodes; ++node)
    for (std::size_t c = 0; c < n; ++c) u[node * n + c] = columns.data()[c * nodes + node];
  return u;
}

}  // namespace tessera::physics::euler
