#pragma once
// The part of a mesh that files show.
#include <span>

#include "assembly/space/dof_map.hpp"
#include "output/vtk_writer.hpp"
#include "physics/groups.hpp"
#include "physics/sections.hpp"

namespace tessera::physics {

/// Throws Error where `[output] on` names what is not there, or neither cells nor facets of a plane or of space.
void check_shown(const OutputParams& output, const mesh::Mesh& mesh, GroupList list = GroupList::sizes);

/// Of what files would show of the whole mesh, cells or facets of the groups that `[output] on` names, or all cells;
/// fields of cells are those of the cell that the mesh keeps of a facet. `data`: its blocks are those of the mesh, its
/// points the dofs. `own` [cells], of a part of the mesh: those that are not marked, and their facets, are left out.
output::VtkData shown_part(const OutputParams& output, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                           output::VtkData data, std::span<const char> own = {});

}  // namespace tessera::physics
