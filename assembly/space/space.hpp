#pragma once
#include "assembly/space/dof_map.hpp"
#include "assembly/space/field_view.hpp"
#include "base/index_map.hpp"

namespace tessera::assembly {

/// A discrete space: the dofs of a mesh, how many unknowns each has, and how this rank's dofs stand among those of all
/// ranks. The rows of a dof stand together in vectors and matrices: component c has row dof * components + c.
/// Memory spaces, Host and Device, are another matter: Exec::Space.
struct Space {
  DofMap dofs;
  int components = 1;  ///< unknowns a dof
  IndexMap index_map;  ///< of the dofs; its ghosts are the last of them

  Space() = default;
  /// On one rank. Throws Error(mesh) where the rows exceed 32-bit numbers.
  explicit Space(DofMap map, int components = 1);
  /// On one of several ranks. Throws also Error(internal) where the index map is of another number of dofs.
  Space(DofMap map, int components, IndexMap index_map);

  /// Rows of all dofs that this rank sees.
  Index rows() const { return dofs.dofs * components; }
  Index row(Index dof, int component) const { return dof * components + component; }
  Index dof_of(Index row) const { return row / components; }
  int component_of(Index row) const { return row % components; }
  /// Global number of row 0.
  Offset first_row() const { return index_map.first_owned() * components; }
  /// [dofs, components]: of vectors of this space.
  FieldLayout layout() const { return FieldLayout::by_nodes(components); }
};

/// Throws Error(mesh) where rows exceed 32-bit numbers.
void check_rows(Index dofs, int components);

}  // namespace tessera::assembly
