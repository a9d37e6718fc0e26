#pragma once
// The part of a mesh that files show.
#include <optional>
#include <span>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "output/vtk_writer.hpp"
#include "physics/groups.hpp"
#include "physics/sections.hpp"

namespace tessera::physics {

/// Throws Error where `[output] on` names what is not there, or neither cells nor facets of a plane or of space.
void check_shown(const OutputParams& output, const mesh::Mesh& mesh, GroupList list = GroupList::sizes);

/// What files show of a mesh, with fields on it.
struct Shown {
  output::VtkData data;
  std::optional<std::vector<Index>> dofs = {};  ///< at its points; left out: all, in their order
};

/// Of what files would show of the whole mesh, cells or facets of the groups that `[output] on` names, or all cells;
/// fields of cells are those of the cell that the mesh keeps of a facet. `data`: its blocks are those of the mesh, its
/// points the dofs. `own` [cells], of a part of the mesh: those that are not marked, and their facets, are left out.
Shown shown_part(const OutputParams& output, const mesh::Mesh& mesh, const assembly::DofMap& dofs, output::VtkData data,
                 std::span<const char> own = {});

}  // namespace tessera::physics
