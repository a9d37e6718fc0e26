#pragma once
#include <span>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "base/array.hpp"
#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::assembly {

/// Quadrature points that each facet of a group has: the most that one of its sides needs. 0 for an empty group.
int facet_points_per_facet(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group);

/// Physical points [facets, points, 3] of integrals over a group of facets; facets with fewer points repeat their last. threads 0: all.
std::vector<double> facet_quadrature_points(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group,
                                            int threads = 0);

/// A += int alpha u v ds, b += int g v ds over a group of facets. alpha, g: [facets, points]; empty: 0.
/// Facets are coloured, so the result is repeatable. Throws Error(internal) where lengths do not fit.
template <class Exec>
void assemble_facets(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group,
                     std::span<const double> alpha, std::span<const double> g,
                     const Array<double, typename Exec::Space>& coordinates, const linalg::CrsView<double>& A,
                     View<double> b);

}  // namespace tessera::assembly
