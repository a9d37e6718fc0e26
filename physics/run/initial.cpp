// Where iterative solvers start.
#include "physics/run/initial.hpp"

#include <fmt/format.h>

#include <numeric>

#include "physics/at_time.hpp"
#include "physics/evaluate.hpp"

namespace tessera::physics {

namespace {

/// Dofs of the cells of an entry, each once.
std::vector<Index> dofs_of(const InitialParams& initial, const mesh::Mesh& mesh, const assembly::DofMap& dofs) {
  std::vector<Index> all;
  if (initial.on.empty()) {
    all.resize(static_cast<std::size_t>(dofs.dofs));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<char> reached(static_cast<std::size_t>(dofs.dofs), 0);
  for (const std::string& name : initial.on)
    for (Index cell : find_group(mesh, name, mesh.dim, initial.where).entities) {
      std::size_t b = 0;
      while (b + 1 < mesh.blocks.size() && cell >= mesh.blocks[b + 1].first_cell) ++b;
      const assembly::DofBlock& block = dofs.blocks[b];
      const Index* const of_cell = block.dofs.data() + Offset{cell - mesh.blocks[b].first_cell} * block.nodes;
      for (int node = 0; node < block.nodes; ++node)
        if (!reached[of_cell[node]]) {
          reached[of_cell[node]] = 1;
          all.push_back(of_cell[node]);
        }
    }
  return all;
}

/// Values of the expressions that entries have as `of`, in u [rows].
void set_values(const CommonParams& params, const Discretisation& space, const std::string& name,
                std::vector<deck::Expression> InitialParams::*of, bool may_be_left_out, std::vector<double>& u) {
  const int components = space.components;
  for (const InitialParams& initial : params.initial) {
    const std::vector<deck::Expression>& expressions = initial.*of;
    if (expressions.empty() && may_be_left_out) continue;
    if (static_cast<int>(expressions.size()) != components)
      throw Error(
          ExitCode::usage,
          fmt::format("the start of {} has {} components, the field has {}", name, expressions.size(), components),
          "give one expression a component", initial.where);
    const std::vector<Index> reached = dofs_of(initial, space.mesh, space.dofs);
    std::vector<double> points;
    points.reserve(3 * reached.size());
    for (Index dof : reached)
      for (int axis = 0; axis < 3; ++axis) points.push_back(space.dof_points[3 * static_cast<std::size_t>(dof) + axis]);
    for (int c = 0; c < components; ++c) {
      deck::Expression value = expressions[static_cast<std::size_t>(c)];
      if (params.time) value = at_time(value, params.time->start);
      const std::vector<double> values = evaluate(value, points, space.threads);
      for (std::size_t i = 0; i < reached.size(); ++i) u[space.row(reached[i], c)] = values[i];
    }
  }
}

}  // namespace

std::vector<double> initial_values(const CommonParams& params, const Discretisation& space, const FieldInfo& field,
                                   double level) {
  if (params.initial.empty()) return {};
  std::vector<double> u(static_cast<std::size_t>(space.rows()), level);
  set_values(params, space, field.name, &InitialParams::u, !field.rate.empty(), u);
  return u;
}

std::vector<double> initial_rates(const CommonParams& params, const Discretisation& space, const FieldInfo& field) {
  std::vector<double> rate(static_cast<std::size_t>(space.rows()), 0.0);
  set_values(params, space, field.rate, &InitialParams::rate, true, rate);
  return rate;
}

}  // namespace tessera::physics
