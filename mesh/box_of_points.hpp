#pragma once
#include <span>

#include "mesh/geometry.hpp"

namespace tessera::mesh {

/// The least box of points [n, 3]; from infinity to minus infinity without any. The same on any number of threads.
BoundingBox box_of_points(std::span<const double> points, int threads);

}  // namespace tessera::mesh
