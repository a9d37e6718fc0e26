#include "physics/places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/team.hpp"
#include "base/touch.hpp"
#include "physics/entry.hpp"

namespace tessera::physics {

namespace {

/// ", among them those of 'chip'": the first group of cells that has one without material.
std::string bare_group(const std::vector<Index>& material, const mesh::Mesh& mesh) {
  for (const mesh::Group& group : mesh.groups)
    if (group.dim == mesh.dim &&
        std::any_of(group.entities.begin(), group.entities.end(), [&](Index c) { return material[c] < 0; }))
      return fmt::format(", among them cells of '{}'", group.name);
  return ", none of them in a group";
}

}  // namespace

std::vector<Index> material_of_cells(const std::vector<Place>& materials, const mesh::Mesh& mesh, GroupList list) {
  std::vector<Index> material;
  resize_by_all(material, static_cast<std::size_t>(mesh.cells()), default_threads());
  const auto replace = [&](Index from, Index to) {
    parallel_for(default_threads(), mesh.cells(), [&](Offset cell) {
      if (material[cell] == from) material[cell] = to;
    });
  };
  if (materials.size() == 1 && materials.front().on.empty()) return material;  // all have the first
  replace(0, -1);
  Index rest = -1;
  for (std::size_t m = 0; m < materials.size(); ++m) {
    if (materials[m].on.empty()) {
      if (rest >= 0)
        throw Error(
            ExitCode::usage,
            fmt::format("{} and {} have no `on`: both would hold everywhere",
                        entry("material", rest, materials[rest].where), entry("material", m, materials[m].where)),
            "name the groups of one of them with on = [...]", materials[m].where);
      rest = static_cast<Index>(m);
      continue;
    }
    for (const std::string& name : materials[m].on)
      for (Index cell : find_group(mesh, name, mesh.dim, materials[m].where, list).entities) {
        const Index other = material[cell];
        if (other >= 0 && other != static_cast<Index>(m))
          throw Error(
              ExitCode::usage,
              fmt::format("cell {} of group '{}' has two materials: {} and {}", cell, name,
                          entry("material", other, materials[other].where), entry("material", m, materials[m].where)),
              "groups may overlap, but a cell has one material: name each cell in one entry only", materials[m].where);
        material[cell] = static_cast<Index>(m);
      }
  }
  const Index bare = static_cast<Index>(std::count(material.begin(), material.end(), -1));
  if (bare > 0 && rest < 0)
    throw Error(
        ExitCode::usage,
        fmt::format("{} of {} cells have no material{}", bare, mesh.cells(), bare_group(material, mesh)),
        "add a [[material]] without `on` for the rest, or name their groups; there are: " + describe_groups(mesh, list),
        materials.back().where);
  replace(-1, rest);
  return material;
}

const mesh::Group& boundary_group(const mesh::Mesh& mesh, const std::string& name, const deck::Where& where,
                                  GroupList list) {
  for (int dim = mesh.dim - 1; dim >= 0; --dim)
    if (const mesh::Group* group = mesh.group(name, dim)) return *group;
  return find_group(mesh, name, mesh.dim - 1, where, list);  // says what there is
}

}  // namespace tessera::physics
