#pragma once
// Facets in planes across axes of coordinates.
#include <optional>
#include <string>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// A plane at the outside of a mesh.
struct OuterPlane {
  int axis = 0;           ///< which it lies across
  double sign = 1;        ///< of the outward normal
  double coordinate = 0;  ///< along the outward normal: sign * x
};

/// That of a facet, whose nodes all lie in it to within `tolerance`; none: the facet is curved or slanted.
std::optional<OuterPlane> plane_of_facet(const Mesh& mesh, Index facet, double tolerance);

/// "x = 2": where a coordinate along the outward normal is.
std::string describe_plane(int axis, double sign, double coordinate);

}  // namespace tessera::mesh
