#pragma once
// Where two sides of a mesh lie on each other, whose cells share no nodes there.
#include <vector>

#include "mesh/facet_map.hpp"

namespace tessera::mesh {

/// The part of a facet of one side that lies before a facet of the other.
struct Overlap {
  Index first = -1, second = -1;  ///< numbers in Mesh::facets
  /// The two have the same vertices: the part is all of either.
  bool whole = false;
  /// Corners of the part in the FacetFrame of `first`, counter-clockwise in 3-D; the two ends in 2-D; none in 1-D.
  std::vector<std::array<double, 2>> corners;
};

/// Overlaps of the facets of two sides along the normals of the first one, which look at each other (their normals are
/// 120 degrees apart at least) and whose boxes are not farther apart than `reach`, or, where that is negative, than
/// `near_facets` times their size. Facets are taken by their vertices; curved ones overlap as these do. In the order
/// of `first`, then of `second`. Cost: O((a + b) log b).
inline constexpr double near_facets = 0.1;
std::vector<Overlap> find_overlaps(const Mesh& mesh, const std::vector<Index>& first, const std::vector<Index>& second,
                                   double reach);

/// By what distances of facets are measured: the diameter, of a point that of its cell.
double facet_size(const Mesh& mesh, Index facet);

}  // namespace tessera::mesh
