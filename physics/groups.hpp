#pragma once
// The groups that a deck names, found in the mesh.
#include <string>
#include <vector>

#include "deck/section.hpp"
#include "mesh/mesh.hpp"

namespace tessera::physics {

/// What a list of groups says of each: a box of one cell that stands for a grid has the names of the user's mesh, but
/// not its sizes.
enum class GroupList { sizes, names };

/// "point", "curve", "surface" or "volume": what an entity of that dimension is called.
const char* entity_name(int dim);

/// The groups of one `on` as one: a facet or cell that several of them hold, or a name that stands twice, is in it
/// once. `dim` as in find_group. Throws Error(usage) at `where` for groups of different dimensions.
mesh::Group united_groups(const mesh::Mesh& mesh, const std::vector<std::string>& names, int dim,
                          const deck::Where& where, GroupList list = GroupList::sizes);

/// The group of that name: of dimension `dim`, or of any with dim < 0 (the highest wins).
/// Throws Error(mesh) that lists the groups there are.
const mesh::Group& find_group(const mesh::Mesh& mesh, const std::string& name, int dim, const deck::Where& where,
                              GroupList list = GroupList::sizes);

/// "fins (volume, 1200 cells), base (surface, 40 facets)": for messages and reports. By names: "fins (volume), base
/// (surface)".
std::string describe_groups(const mesh::Mesh& mesh, GroupList list = GroupList::sizes);

}  // namespace tessera::physics
