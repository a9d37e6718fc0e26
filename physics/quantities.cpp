// What a [[quantity]] may ask for, checked against the mesh before anything is solved.
#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "mesh/geometry.hpp"
#include "mesh/sides.hpp"
#include "physics/groups.hpp"
#include "physics/sections.hpp"

namespace tessera::physics {

namespace {

/// A quantity at a point, which lies in the mesh.
void check_point(const QuantityParams& quantity, const mesh::Mesh& mesh) {
  if (static_cast<int>(quantity.at.size()) < mesh.dim)
    throw Error(ExitCode::usage,
                fmt::format("quantity '{}' of kind \"value\" needs at = [{}]", quantity.name,
                            mesh.dim == 3   ? "x, y, z"
                            : mesh.dim == 2 ? "x, y"
                                            : "x"),
                fmt::format("the mesh has {}, `at` has {}", counted(mesh.dim, "dimension"),
                            counted(quantity.at.size(), "number")),
                quantity.where);
  if (quantity.at.size() > 3)
    throw Error(ExitCode::usage,
                fmt::format("quantity '{}': `at` has {}", quantity.name, counted(quantity.at.size(), "number")),
                "a point has x, y and z at most", quantity.where);
  if (!quantity.on.empty())
    throw Error(ExitCode::usage, fmt::format("quantity '{}' of kind \"value\" takes no group", quantity.name),
                "leave `on` out, or use another kind", quantity.where);
  for (std::size_t axis = static_cast<std::size_t>(mesh.dim); axis < quantity.at.size(); ++axis)
    if (quantity.at[axis] != 0)
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}': `at` has {} = {}, but the mesh has {} dimension{}", quantity.name,
                              "xyz"[axis], quantity.at[axis], mesh.dim, mesh.dim == 1 ? "" : "s"),
                  fmt::format("give {} number{}; further ones must be 0", mesh.dim, mesh.dim == 1 ? "" : "s"),
                  quantity.where);
  std::array<double, 3> at{};
  std::copy(quantity.at.begin(), quantity.at.end(), at.begin());
  if (mesh::find_cell(mesh, at)) return;
  const mesh::BoundingBox box = mesh::bounding_box(mesh);
  throw Error(ExitCode::usage,
              fmt::format("quantity '{}': the point ({}) is in no cell of the mesh", quantity.name,
                          fmt::join(quantity.at, ", ")),
              fmt::format("the mesh lies in [{}, {}] x [{}, {}] x [{}, {}]", box.min[0], box.max[0], box.min[1],
                          box.max[1], box.min[2], box.max[2]),
              quantity.where);
}

/// The groups of a quantity that integrates over them, which are of one dimension: cells, or facets.
void check_measured(const QuantityParams& quantity, const mesh::Mesh& mesh, GroupList list) {
  const mesh::Group* first = nullptr;
  for (const std::string& name : quantity.on) {
    const mesh::Group& group = find_group(mesh, name, -1, quantity.where, list);
    if (group.dim < mesh.dim - 1)
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}' integrates over '{}', which is neither of cells nor of facets",
                              quantity.name, name),
                  "use max, min or value there", quantity.where);
    if (first && group.dim != first->dim)
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}' integrates over '{}' ({}) and '{}' ({}), whose measures cannot be added",
                              quantity.name, first->name, entity_name(first->dim), name, entity_name(group.dim)),
                  "ask for them in two quantities", quantity.where);
    if (!first) first = &group;
  }
}

/// The groups of cells that a cell is in, as a message names them.
std::string groups_of_cell(const mesh::Mesh& mesh, Index cell) {
  std::vector<std::string> names;
  for (const mesh::Group& group : mesh.groups)
    if (group.dim == mesh.dim && std::binary_search(group.entities.begin(), group.entities.end(), cell))
      names.push_back(fmt::format("'{}'", group.name));
  return names.empty() ? "no group" : fmt::format("{}", fmt::join(names, ", "));
}

/// A flux through facets. Through those inside the domain it has two directions, of which `from` says one.
void check_flux(const QuantityParams& quantity, const mesh::Mesh& mesh, GroupList list) {
  if (quantity.on.empty())
    throw Error(ExitCode::usage,
                fmt::format("quantity '{}' of kind \"{}\" needs on = \"a facet group\"", quantity.name, quantity.kind),
                "there are: " + describe_groups(mesh, list), quantity.where);
  const mesh::Group group = united_groups(mesh, quantity.on, mesh.dim - 1, quantity.where, list);
  const mesh::Group* from =
      quantity.from.empty() ? nullptr : &find_group(mesh, quantity.from, mesh.dim, quantity.where, list);
  const std::vector<mesh::SidePair> sides = mesh::sides_of(mesh, group.entities);
  const auto inside = [&](Index cell) {
    return cell >= 0 && std::binary_search(from->entities.begin(), from->entities.end(), cell);
  };
  for (const mesh::SidePair& pair : sides) {
    const auto [cell, other] = std::pair(pair.first.cell, pair.second.cell);
    const std::string beside = other < 0 ? fmt::format("the cells beside it are in {}", groups_of_cell(mesh, cell))
                                         : fmt::format("the cells on its sides are in {} and in {}",
                                                       groups_of_cell(mesh, cell), groups_of_cell(mesh, other));
    if (!from && other >= 0)
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}': '{}' has facets inside the domain, through which the flux has two "
                              "directions",
                              quantity.name, group.name),
                  fmt::format("say the side that it leaves with from = \"a group of cells\"; {}", beside),
                  quantity.where);
    if (from && inside(cell) == inside(other))
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}': '{}' has facets {} '{}'", quantity.name, group.name,
                              inside(cell) ? "inside" : "that do not bound", quantity.from),
                  fmt::format("`from` names the cells on one side of the facets; {}", beside), quantity.where);
  }
}

/// A quantity of groups, or of the whole mesh.
void check_groups(const QuantityParams& quantity, const mesh::Mesh& mesh, GroupList list) {
  if (!quantity.at.empty())
    throw Error(ExitCode::usage,
                fmt::format("quantity '{}' of kind \"{}\" takes no point", quantity.name, quantity.kind),
                "use kind = \"value\", or leave `at` out", quantity.where);
  if (is_flux(quantity)) return check_flux(quantity, mesh, list);
  if (is_integral(quantity)) return check_measured(quantity, mesh, list);
  for (const std::string& name : quantity.on) find_group(mesh, name, -1, quantity.where, list);
}

}  // namespace

bool is_flux(const QuantityParams& quantity) { return quantity.kind == "flux" || quantity.kind == "flux_gradient"; }

bool is_integral(const QuantityParams& quantity) {
  return quantity.kind == "integral" || quantity.kind == "average" || quantity.kind == "l2";
}

void check_quantities(const std::vector<QuantityParams>& quantities, const mesh::Mesh& mesh, GroupList list) {
  std::vector<std::string> seen;
  for (const QuantityParams& quantity : quantities) {
    if (std::find(seen.begin(), seen.end(), quantity.name) != seen.end())
      throw Error(ExitCode::usage, fmt::format("two quantities are called '{}'", quantity.name),
                  "give each its own name", quantity.where);
    seen.push_back(quantity.name);
    if (quantity.name.empty())
      throw Error(ExitCode::usage, "a quantity has an empty name", "give it one: the summary lists quantities by name",
                  quantity.where);
    if (!quantity.from.empty() && !is_flux(quantity))
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}' of kind \"{}\" takes no `from`", quantity.name, quantity.kind),
                  "leave it out: it says which side of a group of facets a flux leaves", quantity.where);
    if (quantity.kind == "value")
      check_point(quantity, mesh);
    else
      check_groups(quantity, mesh, list);
  }
}

}  // namespace tessera::physics
