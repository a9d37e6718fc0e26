#include "physics/scalar/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/counted.hpp"
#include "mesh/geometry.hpp"
#include "physics/entry.hpp"
#include "physics/scalar/contact.hpp"

namespace tessera::physics::scalar {

namespace {

/// Groups of cells or facets with an entity in the part.
std::string groups_of(const mesh::Mesh& mesh, const std::vector<Index>& part, Index wanted) {
  std::string names;
  for (const mesh::Group& group : mesh.groups) {
    const bool facets = group.dim == mesh.dim - 1;
    if (!facets && group.dim != mesh.dim) continue;
    if (std::any_of(group.entities.begin(), group.entities.end(),
                    [&](Index entity) { return part[facets ? mesh.facets.cell[entity] : entity] == wanted; }))
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", group.name);
  }
  return names.empty() ? "in no group" : "in the groups " + names;
}

}  // namespace

std::vector<Index> parts_of_cells(const mesh::Mesh& mesh, const assembly::DofMap& dofs) {
  std::vector<Index> root(static_cast<std::size_t>(dofs.dofs));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](Index v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (const mesh::CellBlock& block : mesh.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      for (int v = 1; v < mesh::vertex_count(block.shape); ++v) {
        const Index a = find(dofs.vertex_dofs[block.cell(c)[v - 1]]), b = find(dofs.vertex_dofs[block.cell(c)[v]]);
        root[std::max(a, b)] = std::min(a, b);
      }
  std::vector<Index> number(static_cast<std::size_t>(dofs.dofs), -1), part;
  part.reserve(static_cast<std::size_t>(mesh.cells()));
  Index parts = 0;
  for (const mesh::CellBlock& block : mesh.blocks)
    for (Index c = 0; c < block.cells(); ++c) {
      Index& of_root = number[find(dofs.vertex_dofs[block.cell(c)[0]])];
      if (of_root < 0) of_root = parts++;
      part.push_back(of_root);
    }
  return part;
}

void check_parts(const Problem& problem, const DirichletData& fixes) {
  const mesh::Mesh& mesh = problem.mesh;
  if (mesh.box_cells[0] > 0) return;
  const std::vector<Index> part = parts_of_cells(mesh, problem.dofs);
  const Index parts = part.empty() ? 0 : *std::max_element(part.begin(), part.end()) + 1;
  if (parts < 2) return;
  std::vector<char> fixed(static_cast<std::size_t>(parts), 0),
      dirichlet(static_cast<std::size_t>(problem.dofs.dofs), 0);
  for (const Index dof : fixes.dofs) dirichlet[dof] = 1;
  for (const assembly::DofBlock& block : problem.dofs.blocks)
    for (Index c = 0; c < block.cells(); ++c) {
      const Index cell = block.first_cell + c;
      fixed[part[cell]] |=
          fixes_level(problem.params.materials[problem.material[cell]]) ||
          std::any_of(block.cell(c), block.cell(c) + block.nodes, [&](Index i) { return dirichlet[i]; });
    }
  for (const BoundaryParams& boundary : problem.params.boundaries) {
    if (!fixes_level_by_flow(boundary)) continue;
    for (const std::string& name : boundary.on)
      for (const Index facet : find_group(mesh, name, mesh.dim - 1, boundary.where).entities)
        fixed[part[mesh.facets.cell[facet]]] = 1;
  }
  // What fixes u on one side of a contact fixes it on the other.
  const mesh::CoupledCells coupled = coupled_cells(problem.contacts, mesh);
  for (bool changes = true; changes;) {
    changes = false;
    for (const auto& [a, b] : coupled)
      if (fixed[part[a]] != fixed[part[b]]) {
        fixed[part[a]] = fixed[part[b]] = 1;
        changes = true;
      }
  }
  const auto loose = std::find(fixed.begin(), fixed.end(), 0);
  if (loose == fixed.end()) return;
  const Index wanted = static_cast<Index>(loose - fixed.begin());
  const auto cell = static_cast<Index>(std::find(part.begin(), part.end(), wanted) - part.begin());
  const auto x = mesh::centroid(mesh, cell);
  const auto& boundaries = problem.params.boundaries;
  throw Error(
      ExitCode::usage,
      fmt::format(
          "the problem is singular: the mesh has {} parts that share no node, and in {} of them nothing fixes u; "
          "the first has {}, one of them at ({:g}, {:g}, {:g}), {}",
          parts, std::count(fixed.begin(), fixed.end(), 0),
          counted(std::count(part.begin(), part.end(), wanted), "cell"), x[0], x[1], x[2],
          groups_of(mesh, part, wanted)),
      "every part needs a dirichlet boundary, a robin boundary with alpha > 0, or a reaction; parts that touch should "
      "share nodes: join them in Gmsh (BooleanFragments, Coherence), or by mesh.merge_nodes, or have a contact",
      boundaries.empty() ? problem.params.physics.where : boundaries.front().where);
}

}  // namespace tessera::physics::scalar
