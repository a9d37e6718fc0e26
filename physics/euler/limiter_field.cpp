#include "physics/euler/limiter_field.hpp"

#include <algorithm>
#include <numeric>

#include "physics/run/in_common.hpp"
#include "physics/time_scheme.hpp"

namespace tessera::physics::euler {

namespace {

/// The state as the scheme takes it, [numbers, nodes]: where sides are periodic, with one of their nodes.
Array<double, Host> columns_of(const Discretisation& space, const std::vector<double>& u) {
  const Offset nodes = space.dofs.dofs, n = space.components;
  Array<double, Host> columns(nodes * n);
  const Offset seen = space.solution_space().dofs.dofs;
  for (Offset i = 0; i < seen; ++i) {
    const Offset to = space.unfolded ? space.unfolded->became[static_cast<std::size_t>(i)] : i;
    for (Offset c = 0; c < n; ++c) columns.data()[c * nodes + to] = u[static_cast<std::size_t>(i * n + c)];
  }
  return columns;
}

/// x [count, nodes] of ghosts becomes that of their owners.
void update_ghosts(const NodalSolution& s, View<double> x, int count) {
  const Offset nodes = s.space.dofs.dofs;
  std::vector<double> rows(static_cast<std::size_t>(nodes * count));
  for (Offset i = 0; i < nodes; ++i)
    for (Offset c = 0; c < count; ++c) rows[static_cast<std::size_t>(i * count + c)] = x[c * nodes + i];
  in_common::update_ghosts(s, count, rows);
  for (Offset i = 0; i < nodes; ++i)
    for (Offset c = 0; c < count; ++c) x[c * nodes + i] = rows[static_cast<std::size_t>(i * count + c)];
}

/// Nodes of inflows, which limit nothing.
void set_inflows(const Problem& problem, Scheme<Threads>& scheme) {
  std::vector<Array<double, Host>> values;
  std::vector<typename Scheme<Threads>::Prescribed> lists;
  for (const BoundaryList& list : problem.boundaries) {
    if (list.kind != BoundaryKind::inflow) continue;
    values.emplace_back(static_cast<Offset>(list.nodes.size()));
    std::fill_n(values.back().data(), values.back().size(), 0.0);
    lists.push_back({View<const Index>(list.nodes.data(), static_cast<Offset>(list.nodes.size())),
                     std::as_const(values.back()).view()});
  }
  scheme.set_prescribed(lists);
}

}  // namespace

SchemeParams scheme_params(const Problem& problem) {
  const Params& params = problem.params;
  return {.gas = problem.gas,
          .limiter = limiter_named(params.limiter),
          .consistent_mass = params.mass == "consistent",
          .relaxed = params.relaxed_bounds,
          .relaxation = params.relaxation,
          .viscosity = params.viscosity == "roe"      ? Viscosity::roe
                       : params.viscosity == "scalar" ? Viscosity::scalar
                                                      : Viscosity::guaranteed,
          .entropy_fix = params.entropy_fix,
          .in_float = params.run.precision == "float" && !is_implicit(*params.time),
          .at_end = params.limiter == "convex" && is_implicit(*params.time)};
}

std::vector<double> limiter_field(const Problem& problem, const NodalSolution& s) {
  const Discretisation& space = problem.space;
  Threads exec(s.threads);
  const std::vector<Index> fixed;
  const NodalSolution folded{.mesh = space.mesh,
                             .space = space,
                             .dof_points = space.dof_points,
                             .fixed = fixed,
                             .u = s.u,
                             .threads = s.threads,
                             .share = s.share};
  const Index owned = space.ranks ? space.index_map.owned() : space.dofs.dofs;
  typename Scheme<Threads>::Exchange exchange;
  if (s.share) exchange = [&](View<double> x, int count) { update_ghosts(folded, x, count); };
  SchemeParams scheme_of_field = scheme_params(problem);
  scheme_of_field.in_float = false;  // parts are those of double
  const auto scheme = make_scheme(exec, space.mesh, space.dofs, scheme_of_field, owned, exchange);
  const View<const double> masses = scheme->lumped_mass();
  scheme->set_measure(in_common::sum(s.share, std::accumulate(masses.data(), masses.data() + owned, 0.0)));
  set_inflows(problem, *scheme);
  Array<double, Host> u = columns_of(space, s.u);
  if (exchange) exchange(u.view(), space.components);
  scheme->take(u.view(), 0);
  double shortest = -scheme->limits(1).front().longest;
  in_common::largest(s.share, {&shortest, 1});
  constexpr double cfl_of_fixed_steps = 0.9;
  const TimeParams& time = *problem.params.time;
  const bool is_fixed = time.step && is_implicit(time);
  const double step = is_fixed ? *time.step : -shortest * time.cfl.value_or(cfl_of_fixed_steps);
  Array<double, Host> parts(space.dofs.dofs);
  scheme->least_parts(u.view(), step, parts.view());
  if (!space.unfolded) return {parts.data(), parts.data() + parts.size()};
  std::vector<double> result;
  for (const Index became : space.unfolded->became) result.push_back(parts[became]);
  return result;
}

}  // namespace tessera::physics::euler
