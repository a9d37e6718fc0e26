// Where iterative solvers start, and runs through time.
#include "physics/run/initial.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/counted.hpp"
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

}  // namespace

std::vector<double> initial_values(const std::vector<InitialParams>& entries, const std::optional<TimeParams>& time,
                                   const Discretisation& space, const FieldInfo& field, double level,
                                   const InitialGrids& grids) {
  if (entries.empty()) return {};
  const int components = space.components;
  std::vector<double> u(static_cast<std::size_t>(space.rows()), level);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const InitialParams& initial = entries[i];
    if (initial.u.empty() && !initial.file) continue;
    if (!initial.u.empty() && static_cast<int>(initial.u.size()) != components)
      throw Error(ExitCode::usage,
                  fmt::format("the start of {} has {}, the field has {}", field.name,
                              counted(initial.u.size(), "component"), components),
                  "give one expression a component", initial.where);
    const std::vector<Index> reached = dofs_of(initial, space.mesh, space.dofs);
    if (initial.file) take_from_file(initial, *grids[i], space, reached, u);
    std::vector<double> points;
    points.reserve(3 * reached.size());
    for (Index dof : reached)
      for (int axis = 0; axis < 3; ++axis) points.push_back(space.dof_points[3 * static_cast<std::size_t>(dof) + axis]);
    for (int c = 0; c < components; ++c) {
      if (initial.is_of_file(static_cast<std::size_t>(c))) continue;
      deck::Expression value = initial.u[static_cast<std::size_t>(c)];
      if (time) value = at_time(value, time->start);
      const std::vector<double> values = evaluate(value, points, space.threads);
      for (std::size_t k = 0; k < reached.size(); ++k) u[space.row(reached[k], c)] = values[k];
    }
  }
  return u;
}

}  // namespace tessera::physics
