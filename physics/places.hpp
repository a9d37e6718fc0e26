#pragma once
// Where the entries of a list of a deck hold: [[material]], [[boundary]], [[initial]].
#include <string>
#include <vector>

#include "physics/groups.hpp"
#include "physics/sections.hpp"

namespace tessera::physics {

/// An entry of a list, without what it says there.
struct Place {
  std::vector<std::string> on;
  deck::Where where;
};

/// Those of a module's own entries, which have `on` and `where`.
template <class Entry>
std::vector<Place> places(const std::vector<Entry>& entries) {
  std::vector<Place> result;
  for (const Entry& entry : entries) result.push_back({entry.on, entry.where});
  return result;
}

/// Index of the material of every cell. Throws Error where a group is not in the mesh, two materials claim a cell, or
/// a cell has none.
std::vector<Index> material_of_cells(const std::vector<Place>& materials, const mesh::Mesh& mesh,
                                     GroupList list = GroupList::sizes);

/// A group that prescribed values may stand on: facets, or curves and points; among groups of one name the facets.
/// Throws as find_group.
const mesh::Group& boundary_group(const mesh::Mesh& mesh, const std::string& name, const deck::Where& where,
                                  GroupList list = GroupList::sizes);

}  // namespace tessera::physics
