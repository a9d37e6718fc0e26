#pragma once
#include <span>

#include "assembly/space/dof_map.hpp"

namespace tessera::assembly {

/// make_dof_map on a mesh of which some vertices are one: same[node] is the lowest of those that `node` is one with.
/// Edges and faces between such vertices are one, too, at every order. A dof then has several places: dof_points gives
/// that in its first cell. `same` must pass mesh::check_joined.
DofMap make_periodic_dof_map(const mesh::Mesh& mesh, int order, std::span<const Index> same, int threads = 0,
                             LineNodes nodes = LineNodes::standard);

}  // namespace tessera::assembly
