#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// How a shape is cut into 2^dim children of its own shape. Vertices of children are numbered as the parent's nodes of
/// geometric order 2 (vertices, edges, quad faces, volume).
struct Cut {
  std::vector<std::vector<std::int8_t>> children;  ///< [2^dim][vertices], positively oriented
  struct Child {
    std::int8_t child, side;
  };
  std::vector<std::vector<Child>> on_side;  ///< for each side of the parent, the sides of children that cover it
};

/// One cut, but three for a tet: the inner octahedron by its diagonal between the midpoints of edges 02-13, 01-23,
/// 03-12.
const std::vector<Cut>& cuts(Shape shape);

}  // namespace tessera::mesh
