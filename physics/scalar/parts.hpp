#pragma once
// Parts of a mesh that share no dof, each of which needs something that fixes the level of u.
#include "physics/scalar/problem.hpp"

namespace tessera::physics::scalar {

/// [cells] number of the part of every cell, from 0 in the order of their first cells. Parts share no vertex of the dof
/// map.
std::vector<Index> parts_of_cells(const mesh::Mesh& mesh, const assembly::DofMap& dofs);

/// Throws Error(usage) where a part has neither a Dirichlet value, nor a Robin term, nor a reaction, nor a contact with
/// one that has, with its groups, its number of cells and a place. Parts of a box are not looked for: it has one.
void check_parts(const Problem& problem, const DirichletData& fixes);

}  // namespace tessera::physics::scalar
