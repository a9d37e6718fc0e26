#include "physics/rest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "mesh/box.hpp"
#include "mesh/groups.hpp"
#include "physics/entry.hpp"

namespace tessera::physics {

namespace {

bool names_rest(const std::vector<std::string>& on) { return std::find(on.begin(), on.end(), "rest") != on.end(); }

template <class Entries>
const auto* first_with_rest(const Entries& entries) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [](const auto& entry) { return names_rest(entry.on); });
  return found == entries.end() ? nullptr : &*found;
}

/// All other names of the entries.
template <class Entries>
std::vector<std::string> others(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries)
    for (const std::string& name : entry.on)
      if (name != "rest") names.push_back(name);
  return names;
}

void check_materials(const std::vector<Place>& materials) {
  const Place* rest = first_with_rest(materials);
  if (!rest) return;
  for (std::size_t m = 0; m < materials.size(); ++m)
    if (materials[m].on.empty())
      throw Error(ExitCode::usage,
                  fmt::format("{} has no `on` and another one has on = \"rest\": both would hold everywhere else",
                              entry("material", m, materials[m].where)),
                  "take one of them out: they mean the same", rest->where);
}

/// Adds the rest of one dimension; `where`: of the entry that asks for it.
void add_rest_of(mesh::Mesh& mesh, int dim, const std::vector<std::string>& names, const char* what,
                 const deck::Where& where) {
  const std::string place = where ? fmt::format("{}:{}: ", where->file, where->line) : "";
  const bool lower_too = dim < mesh.dim;  // values may stand on curves and points
  for (const mesh::Group& group : mesh.groups)
    if (group.name == "rest" && (group.dim == dim || (lower_too && group.dim < dim))) {
      warn(place + "on = \"rest\" is the group of the mesh with that name, not what no other entry names");
      return;
    }
  mesh::Group rest = mesh::rest_of(mesh, dim, names);
  if (rest.entities.empty()) warn(fmt::format("{}on = \"rest\" holds nowhere: other entries name all {}", place, what));
  mesh.entities.push_back(std::move(rest));
}

}  // namespace

void check_rest(const RestOf& entries) { check_materials(entries.materials); }

void add_rest_of_cells(const std::vector<Place>& materials, mesh::Mesh& mesh) {
  check_materials(materials);
  const bool known = std::any_of(mesh.entities.begin(), mesh.entities.end(), [&](const mesh::Group& entity) {
    return entity.name == "rest" && entity.dim == mesh.dim;
  });
  const Place* material = first_with_rest(materials);
  if (material && !known) add_rest_of(mesh, mesh.dim, others(materials), "cells", material->where);
}

void add_rest(const RestOf& entries, mesh::Mesh& mesh) {
  add_rest_of_cells(entries.materials, mesh);
  const Place* boundary = first_with_rest(entries.boundaries);
  const Place* material = first_with_rest(entries.materials);
  const QuantityParams* quantity = first_with_rest(entries.quantities);
  std::vector<std::string> sides = others(entries.boundaries);
  for (const std::string& side : others(entries.periodic)) sides.push_back(side);
  if (boundary || (quantity && !material))
    add_rest_of(mesh, mesh.dim - 1, sides, "exterior facets", boundary ? boundary->where : quantity->where);
}

RestOfBox rest_of_box(const RestOf& entries, const mesh::BoxParams& of_deck) {
  mesh::BoxParams outline = of_deck;
  std::fill(outline.cells.begin(), outline.cells.end(), 1);
  mesh::Mesh box = mesh::make_box(outline);
  add_rest(entries, box);
  const auto names = [&](int dim) {
    std::vector<std::string> result;
    if (const mesh::Group* rest = box.group("rest", dim))
      for (const mesh::Group& group : box.groups)
        if (group.dim == dim &&
            std::includes(rest->entities.begin(), rest->entities.end(), group.entities.begin(), group.entities.end()))
          result.push_back(group.name);
    return result;
  };
  return {names(box.dim - 1), names(box.dim)};
}

void RestOfBox::replace(std::vector<std::string>& on, const std::vector<std::string>& names) {
  const auto found = std::find(on.begin(), on.end(), "rest");
  if (found == on.end()) return;
  on.erase(found);
  on.insert(on.end(), names.begin(), names.end());
}

}  // namespace tessera::physics
