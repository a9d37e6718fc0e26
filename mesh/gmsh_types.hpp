#pragma once
// Gmsh's element types and node orders (Gmsh manual, "Node ordering"), as tables.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// An element type of Gmsh: its number in files, and what it is here.
struct GmshType {
  int id;
  const char* name;
  Shape shape;
  int order;
  int nodes;
  bool supported;  ///< as it is; `convertible` types become others (gmsh_convert.hpp)

  bool pyramid() const { return shape == Shape::point && nodes > 1; }
  int dim() const { return pyramid() ? 3 : dimension(shape); }
  int vertices() const { return pyramid() ? 5 : vertex_count(shape); }
  /// Orders up to 4 and serendipity; not those that Gmsh itself has no basis for.
  bool convertible() const {
    return supported || pyramid() || (order <= 4 && shape != Shape::prism && id != 20 && id != 22) || id == 18;
  }
};

/// All types that a file may hold; nullptr for a number that is none of the common ones.
const GmshType* gmsh_type(int id);
/// The number of a shape of order 1 or 2.
int gmsh_type_of(Shape shape, int order);

/// The nodes of a complete order-2 cell in Gmsh's order, each as the vertices whose mean it is (in the straight cell).
const std::vector<std::vector<int>>& node_vertices(Shape shape);

/// Order of the nodes that mirrors a cell: new cell = old cell at these positions, of opposite orientation.
const std::vector<int>& mirrored_nodes(Shape shape, int order);

}  // namespace tessera::mesh
