#pragma once
// Convex polygons in a plane, and intervals on a line, which are those of two corners on the first axis.
#include <array>
#include <vector>

namespace tessera::mesh {

using Corner = std::array<double, 2>;
/// Corners counter-clockwise; of an interval its two ends, the lower one first; empty: nothing.
using Polygon = std::vector<Corner>;

/// Area, of an interval its length; that of corners in clockwise order is negative.
double area(const Polygon& polygon);

/// What of `subject` lies inside `clip`, without what is smaller than `least`.
Polygon clipped(const Polygon& subject, const Polygon& clip, double least);

/// What of `subject` lies outside of `hole`, in convex pieces, without what is smaller than `least`.
std::vector<Polygon> without(const Polygon& subject, const Polygon& hole, double least);

}  // namespace tessera::mesh
