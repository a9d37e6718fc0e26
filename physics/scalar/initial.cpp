// Where iterative solvers start.
#include <numeric>

#include "physics/scalar/evaluate.hpp"
#include "physics/scalar/grid.hpp"
#include "physics/scalar/problem.hpp"

namespace tessera::physics::scalar {

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

std::vector<double> initial_values(const Params& params, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                   std::span<const double> dof_points, double level) {
  if (params.initial.empty()) return {};
  const int threads = Threads(params.run.threads).count();
  std::vector<double> u(static_cast<std::size_t>(dofs.dofs), level);
  for (const InitialParams& initial : params.initial) {
    const std::vector<Index> reached = dofs_of(initial, mesh, dofs);
    std::vector<double> points;
    points.reserve(3 * reached.size());
    for (Index dof : reached)
      for (int axis = 0; axis < 3; ++axis) points.push_back(dof_points[3 * static_cast<std::size_t>(dof) + axis]);
    const std::vector<double> values = evaluate(initial.u, points, threads);
    for (std::size_t i = 0; i < reached.size(); ++i) u[reached[i]] = values[i];
  }
  return u;
}

std::vector<double> initial_values(const Params& params, const BoxGrid& grid, const NodeRange& unknowns) {
  if (params.initial.empty()) return {};
  const mesh::Mesh box = outline(grid);
  for (const InitialParams& initial : params.initial)  // the box has one group of cells, so every entry is everywhere
    for (const std::string& name : initial.on) find_group(box, name, box.dim, initial.where, GroupList::names);
  std::vector<double> u(static_cast<std::size_t>(unknowns.count[0]) * unknowns.count[1] * unknowns.count[2]);
  sample(params.initial.back().u, grid, unknowns, Threads(params.run.threads).count(),
         {u.data(), static_cast<Offset>(u.size())});
  return u;
}

}  // namespace tessera::physics::scalar
