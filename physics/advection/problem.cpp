#include "physics/advection/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "assembly/edge/boundary_normals.hpp"
#include "base/error.hpp"
#include "deck/expression.hpp"
#include "physics/at_time.hpp"
#include "physics/conservation/sides.hpp"

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
  for (const assembly::FacetNormal& facet : assembly::nodal_facet_normals(space.mesh, space.dofs, group)) {
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

namespace {

/// f'_d(values) at nodes. Throws as check_slopes.
std::vector<double> slopes_at(const Problem& problem, std::size_t d, std::span<const Index> nodes,
                              const std::vector<double>& values) {
  const deck::Expression& f = problem.params.flux.function[d];
  const std::vector<double> points(3 * nodes.size(), 0.0);
  std::vector<double> slopes(nodes.size());
  deck::Evaluator(deck::derivative(f, deck::Variable::u))
      .at({points.data(), values.data()}, nodes.size(), 0, slopes.data());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (std::isfinite(slopes[k])) continue;
    const double* const x = &problem.space.dof_points[3 * static_cast<std::size_t>(nodes[k])];
    throw Error(
        ExitCode::usage,
        fmt::format("flux.function \"{}\" has a derivative that is not finite at u = {:.6g}, at ({:.6g}, {:.6g}, "
                    "{:.6g})",
                    f.text(), values[k], x[0], x[1], x[2]),
        "no step is short enough there: write a function that is smooth at all values of the start and of the "
        "boundaries, as sqrt(u + 1e-6) in the place of sqrt(u)",
        problem.params.flux.where);
  }
  return slopes;
}

}  // namespace

void check_slopes(const Problem& problem, const std::vector<double>& u) {
  std::vector<Index> all(u.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  for (std::size_t d = 0; d < problem.params.flux.function.size(); ++d) (void)slopes_at(problem, d, all, u);
}

namespace {

/// A value between low and high at which f jumps, or is steeper than a square root.
std::optional<double> jump_of(const deck::Expression& f, double low, double high) {
  constexpr int intervals = 1000;
  deck::Evaluator evaluator(f);
  const auto value = [&](double u) {
    const double origin[3] = {};
    double result = 0;
    evaluator.at({origin, &u}, 1, 0, &result);
    return result;
  };
  std::vector<double> values(intervals + 1);
  const auto place = [&](int k) { return low + k * ((high - low) / intervals); };
  for (int k = 0; k <= intervals; ++k) values[static_cast<std::size_t>(k)] = value(place(k));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double span = *most - *least,
               rounding = 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(*least), std::abs(*most));
  constexpr double apart = 1e-8;  // there are values between
  if (!std::isfinite(span) || high - low < apart * std::max(std::abs(low), std::abs(high))) return {};
  // What a root does between values as close as these is less.
  const double closest = 1e-14 * (high - low), limit = std::max(rounding, 3e-7 * span);
  for (int k = 0; k < intervals; ++k) {
    double a = place(k), b = place(k + 1), f_a = values[static_cast<std::size_t>(k)],
           f_b = values[static_cast<std::size_t>(k) + 1];
    while (b - a > closest && std::abs(f_b - f_a) > limit) {
      const double middle = a + (b - a) / 2, f_middle = value(middle);
      if (!(middle > a && middle < b)) break;
      const bool left = std::abs(f_middle - f_a) > std::abs(f_b - f_middle);
      (left ? b : a) = middle;
      (left ? f_b : f_a) = f_middle;
    }
    if (std::abs(f_b - f_a) > limit) return b;
  }
  return {};
}

}  // namespace

void check_jumps(const Problem& problem, const std::vector<double>& u, double t) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const auto take = [&](const std::vector<double>& values) {
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  };
  take(u);
  for (const InflowList& list : problem.inflows)
    take(conservation::evaluate_all(problem.space, {list.value}, list.nodes, t));
  if (!(high > low)) return;
  for (const deck::Expression& f : problem.params.flux.function)
    if (const std::optional<double> at = jump_of(f, low, high))
      throw Error(ExitCode::usage,
                  fmt::format("flux.function \"{}\" jumps, or is endlessly steep, at u = {:.6g}", f.text(), *at),
                  "nothing bounds the speed of what lies between both of its values: write a function that is "
                  "continuous, such as one with tanh",
                  problem.params.flux.where);
}

void check_joined_velocities(const Params& params, const mesh::Mesh& mesh, const std::vector<Index>& joined) {
  if (joined.empty() || params.flux.velocity.empty()) return;
  constexpr double tolerance = 1e-8;  // of the greatest anywhere
  for (const double t : {params.time->start, params.time->end}) {
    for (const deck::Expression& e : params.flux.velocity) {
      deck::Evaluator v(at_time(e, t));
      double greatest = 0;
      for (Index node = 0; node < mesh.nodes(); ++node) greatest = std::fmax(greatest, std::fabs(v(mesh.point(node))));
      for (std::size_t node = 0; node < joined.size(); ++node) {
        const double* const here = mesh.point(static_cast<Index>(node));
        const double* const there = mesh.point(joined[node]);
        const double one = v(here), other = v(there);
        if (!(std::fabs(one - other) > tolerance * greatest)) continue;
        throw Error(ExitCode::usage,
                    fmt::format("flux.velocity \"{}\" is {:.6g} at ({:.6g}, {:.6g}, {:.6g}) and {:.6g} at ({:.6g}, "
                                "{:.6g}, {:.6g}), at t = {:g}; periodic sides make one place of both",
                                e.text(), one, here[0], here[1], here[2], other, there[0], there[1], there[2], t),
                    "write a velocity with the period of the mesh, or inflow and outflow in the place of periodic",
                    params.flux.where);
      }
    }
  }
}

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
  for (std::size_t d = 0; d < problem.params.flux.function.size(); ++d) {
    const std::vector<double> slope = slopes_at(problem, d, list.nodes, values);
    for (std::size_t k = 0; k < count; ++k) flow[k] += slope[k] * list.normals[k * dim + d];
  }
  for (std::size_t k = 0; k < count; ++k)
    if (!(flow[k] < 0)) values[k] = std::numeric_limits<double>::quiet_NaN();
  return values;
}

}  // namespace tessera::physics::advection
