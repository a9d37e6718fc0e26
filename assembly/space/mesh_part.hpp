#pragma once
#include <span>

#include "assembly/space/dof_map.hpp"
#include "mesh/mesh.hpp"

namespace tessera::assembly {

/// Some cells of a mesh as a mesh of their own, in the order of their numbers: for coefficients and integrals of these
/// cells alone. Each cell has its own copy of its nodes; dofs keep their numbers. No facets, no groups.
struct MeshPart {
  mesh::Mesh mesh;
  DofMap dofs;
};
/// `cells` ascending.
MeshPart part_of(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const Index> cells);

}  // namespace tessera::assembly
