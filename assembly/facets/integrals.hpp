#pragma once
#include <span>
#include <vector>

#include "assembly/space/dof_map.hpp"

namespace tessera::assembly {

/// Quadrature points that each facet of a group has: the most that one of its sides needs. 0 for an empty group.
int facet_points_per_facet(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group);

/// Physical points [facets, points, 3] of integrals over a group of facets; facets with fewer points repeat their last.
/// threads 0: all.
std::vector<double> facet_quadrature_points(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group,
                                            int threads = 0);

/// Unit normals [facets, points, 3] at these points, out of the cell that the mesh keeps of a facet.
std::vector<double> facet_normals(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group, int threads = 0);

}  // namespace tessera::assembly
