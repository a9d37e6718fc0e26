#pragma once
// Bodies of revolution: what an integral over a plane mesh stands for.
#include <numbers>
#include <string>

#include "base/types.hpp"

namespace tessera::mesh {

/// What a mesh stands for: itself, or the body of revolution of which it is half of a section through the axis.
/// Integrals over the body are those over the mesh with the weight 2 pi r, r the distance from the axis.
struct Measure {
  int radius = -1;  ///< the coordinate that is r: 0 for the axis "y" (x = 0), 1 for the axis "x" (y = 0); -1: no axis

  /// Whether the mesh stands for a body of revolution.
  bool weighs() const { return radius >= 0; }
  /// "y" or "x"; empty: no axis.
  const char* axis() const { return radius == 0 ? "y" : radius == 1 ? "x" : ""; }
  /// 2 pi r at a point [3]; 1 without an axis. Points on the wrong side of the axis by rounding count as on it.
  double at(const double* xyz) const {
    if (radius < 0) return 1;
    return xyz[radius] > 0 ? 2 * std::numbers::pi * xyz[radius] : 0;
  }
};

struct Mesh;
struct Group;

/// Makes the mesh half of a section of a body of revolution about the coordinate axis "x" or "y". Throws Error(usage)
/// unless it is plane, Error(mesh) where a node lies on the wrong side of the axis by more than rounding.
void set_axis(Mesh& mesh, const std::string& axis);

/// The number of facets of a group that lie on the axis, where they have no area. 0 for a group of another dimension.
Index facets_on_axis(const Mesh& mesh, const Group& group);
/// Whether all of them do.
bool on_axis(const Mesh& mesh, const Group& group);

}  // namespace tessera::mesh
