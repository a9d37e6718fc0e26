#include "physics/groups.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"

namespace tessera::physics {

const char* entity_name(int dim) {
  constexpr const char* names[] = {"point", "curve", "surface", "volume"};
  return names[dim];
}

std::string describe_groups(const mesh::Mesh& mesh, GroupList list) {
  constexpr std::size_t most_entities = 12;
  std::vector<std::string> parts;
  const auto add = [&](const mesh::Group& group) {
    if (list == GroupList::names) {
      parts.push_back(fmt::format("{} ({})", group.name, entity_name(group.dim)));
      return;
    }
    const std::size_t count =
        group.dim >= mesh.dim - 1 ? group.entities.size() : group.vertices.size() / (group.dim + 1);
    const std::string items = group.dim == mesh.dim       ? counted(count, "cell")
                              : group.dim == mesh.dim - 1 ? counted(count, "facet")
                                                          : counted(count, "entity", "entities");
    parts.push_back(fmt::format("{} ({}, {})", group.name, entity_name(group.dim), items));
  };
  for (const mesh::Group& group : mesh.groups) add(group);
  // Where the file has no group of cells, or none of what bounds them, its entities do.
  std::size_t left_out = 0;
  for (int dim : {mesh.dim, mesh.dim - 1}) {
    if (std::any_of(mesh.groups.begin(), mesh.groups.end(), [&](const auto& group) { return group.dim == dim; }))
      continue;
    std::size_t shown = 0;
    for (const mesh::Group& entity : mesh.entities) {
      if (entity.dim != dim || entity.name == "rest") continue;
      if (shown++ < most_entities)
        add(entity);
      else
        ++left_out;
    }
  }
  if (parts.empty()) return "the mesh has no groups; a [[group]] of the deck makes some";
  return fmt::format("{}{}", fmt::join(parts, ", "),
                     left_out > 0 ? fmt::format(", and {} more: `tessera mesh DECK --list`", left_out) : "");
}

const mesh::Group& find_group(const mesh::Mesh& mesh, const std::string& name, int dim, const deck::Where& where,
                              GroupList list) {
  const mesh::Group* found = nullptr;
  std::vector<std::string> others;
  for (const auto* groups : {&mesh.groups, &mesh.entities}) {
    for (const mesh::Group& group : *groups) {
      others.push_back(group.name);
      if (group.name == name && (dim < 0 || group.dim == dim) && (!found || group.dim > found->dim)) found = &group;
    }
    if (found) return *found;
  }
  const bool other_dim = std::find(others.begin(), others.end(), name) != others.end();
  const std::string kind = dim < 0 ? "group" : fmt::format("{} group", entity_name(dim));
  const std::vector<std::string> near = nearest_names(name, others);
  throw Error(
      ExitCode::mesh,
      other_dim ? fmt::format("group '{}' is not a {}", name, kind) : fmt::format("no {} '{}' in the mesh", kind, name),
      (near.empty() || other_dim ? std::string() : fmt::format("did you mean '{}'? ", near.front())) +
          "there are: " + describe_groups(mesh, list),
      where);
}

mesh::Group united_groups(const mesh::Mesh& mesh, const std::vector<std::string>& names, int dim,
                          const deck::Where& where, GroupList list) {
  mesh::Group result;
  std::vector<std::string> seen;
  for (const std::string& name : names) {
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    const mesh::Group& group = find_group(mesh, name, dim, where, list);
    if (seen.size() > 1 && group.dim != result.dim)
      throw Error(ExitCode::usage,
                  fmt::format("'{}' ({}) and '{}' ({}) have different dimensions", seen.front(),
                              entity_name(result.dim), name, entity_name(group.dim)),
                  "name groups of one dimension", where);
    result.dim = group.dim;
    result.entities.insert(result.entities.end(), group.entities.begin(), group.entities.end());
    result.vertices.insert(result.vertices.end(), group.vertices.begin(), group.vertices.end());
  }
  std::sort(result.entities.begin(), result.entities.end());
  result.entities.erase(std::unique(result.entities.begin(), result.entities.end()), result.entities.end());
  result.name = fmt::format("{}", fmt::join(seen, ", "));
  return result;
}

}  // namespace tessera::physics
