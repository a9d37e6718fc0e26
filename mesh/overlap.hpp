#pragma once
// Where two sides of a mesh lie on each other, whose cells share no nodes there.
#include <vector>

#include "mesh/facet_map.hpp"
#include "mesh/polygon.hpp"

namespace tessera::mesh {

/// The part of a facet of one side that lies before a facet of the other.
struct Overlap {
  Index first = -1, second = -1;  ///< numbers in Mesh::facets
  /// The part is all of either, and the two have the same vertices.
  bool whole = false;
  /// Corners of the part in the FacetFrame of `first`, counter-clockwise in 3-D; the two ends in 2-D; none in 1-D.
  Polygon corners = {};
  double reach = 0;  ///< points farther apart are not part of it
};

/// Overlaps of the facets of two sides along the normals of the first one, which look at each other (their normals are
/// 120 degrees apart at least) and whose boxes are not farther apart than `reach`, or, where that is negative, than
/// `near_facets` times their size; at least by the rounding of files. The other facet lies before ours. Behind ours it
/// may lie by `reach` where the sides go into each other; where that is negative, by half of a cell, for curved sides
/// that do not match do so: that of a thin body's other face is no overlap. Where several lie over one place, the
/// nearest one has it, and what is left of the others may be more than one overlap. Facets are taken by their vertices;
/// curved ones overlap as these do. In the order of `first`, then of `second`. Cost: O((a + b) log b).
inline constexpr double near_facets = 0.1;
std::vector<Overlap> find_overlaps(const Mesh& mesh, const std::vector<Index>& first, const std::vector<Index>& second,
                                   double reach);

/// Facets of two sides whose vertices are at the same places to the last bit, as those are that split_along makes, in
/// the order of `first`; those without a partner are left out. Cost: O((a + b) log b).
std::vector<Overlap> find_copies(const Mesh& mesh, const std::vector<Index>& first, const std::vector<Index>& second);

/// By what distances of facets are measured: the diameter, of a point that of its cell.
double facet_size(const Mesh& mesh, Index facet);

}  // namespace tessera::mesh
