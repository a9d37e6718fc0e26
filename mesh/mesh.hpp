#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "mesh/measure.hpp"

namespace tessera::mesh {

/// Shapes of cells and facets.
enum class Shape : std::uint8_t { point, interval, triangle, quad, tet, hex, prism };
inline constexpr int shape_count = 7;

const char* name(Shape shape);
/// Throws Error(usage) for an unknown name, listing the valid ones.
Shape shape_from_name(const std::string& name);
int dimension(Shape shape);
int vertex_count(Shape shape);
/// Nodes of a Lagrange cell of geometric order 1 or 2 (complete: quad 9, hex 27, prism 18).
int node_count(Shape shape, int order);

/// Local topology of a shape, in Gmsh's vertex order (interval 01; triangle 012; quad 0123 counter-clockwise;
/// tet 0123; hex 0123 below 4567; prism 012 below 345).
struct Topology {
  struct Facet {
    Shape shape;
    std::array<std::int8_t, 4>
        vertices;  ///< outward normal by the right-hand rule in 3-D; in 2-D the cell lies left of a->b
  };
  std::vector<std::array<std::int8_t, 2>> edges;  ///< in Gmsh's edge order (the order of order-2 edge nodes)
  std::vector<Facet> facets;                      ///< of dimension dim-1
  std::vector<Facet> faces;                       ///< of dimension 2 (3-D: equal to facets; 2-D: the cell itself)
};
const Topology& topology(Shape shape);

/// Geometric nodes of order 1 or 2 in Gmsh's order (vertices, edges, quad faces, volume): [nodes, dim], row-major.
/// Reference cells are Gmsh's: interval, quad, hex [-1,1]^dim; unit simplices; prism = unit triangle x [-1,1].
std::span<const double> reference_nodes(Shape shape, int order);
/// Local cell nodes of facet `side`, in the Gmsh node order of the facet's own shape (oriented outward).
std::span<const std::int8_t> facet_nodes(Shape shape, int side, int order);

/// Cells of one shape and geometric order: an "element-type distribution".
/// nodes: [cells, nodes_per_cell], row-major, each cell in Gmsh's node order.
struct CellBlock {
  Shape shape = Shape::tet;
  int order = 1;
  int nodes_per_cell = 4;
  std::vector<Index> nodes;
  Index first_cell = 0;  ///< number of its first cell among all cells of the mesh

  Index cells() const { return static_cast<Index>(nodes.size() / static_cast<std::size_t>(nodes_per_cell)); }
  const Index* cell(Index local) const { return nodes.data() + static_cast<std::size_t>(local) * nodes_per_cell; }
};

/// Facets that matter: every exterior one and every interior one that a group names. A facet is a side of a cell.
struct Facets {
  std::vector<Index> cell;        ///< number of the cell (over all blocks)
  std::vector<std::int8_t> side;  ///< local facet number in topology(shape).facets
  std::vector<std::int8_t>
      exterior;  ///< 1: one cell only; 0: an interior facet named by a group (`cell` is its lower-numbered one)
  Index size() const { return static_cast<Index>(cell.size()); }
};

/// A physical group. An entity may be in several groups.
struct Group {
  std::string name;
  int dim = 0;
  /// dim == mesh.dim: cell numbers; dim == mesh.dim-1: indices into Mesh::facets; sorted, unique. Otherwise empty.
  std::vector<Index> entities;
  /// Groups of lower dimension (points, and curves in 3-D): vertices of the entities, [entities, dim+1] row-major.
  std::vector<Index> vertices;
};

/// A mesh on the host. Nodes are numbered so that those of low-order vertices and of high-order points share one range.
struct Mesh {
  int dim = 3;                 ///< 1, 2 or 3
  int order = 1;               ///< geometric order, 1 or 2
  std::vector<double> points;  ///< [nodes, 3]; unused coordinates are 0
  std::vector<CellBlock> blocks;
  Facets facets;
  std::vector<Group> groups;
  /// Elementary entities of the file's geometry, named by kind and tag ("surface_3"), and what a deck calls "rest". A
  /// deck names them as it names groups; messages and output show them only where there are no groups.
  std::vector<Group> entities;
  /// A structured box, for grid methods: cells per axis (0 on unused axes); all zero when the mesh is not a box.
  std::array<Index, 3> box_cells{0, 0, 0};
  std::array<double, 3> box_min{}, box_max{};
  /// Of a body of revolution: errors, quantities and flows (assembly/fields, gradient_loads) are those over it.
  /// Forms integrate over the mesh as it is: their coefficients carry the weight.
  Measure measure;

  Index nodes() const { return static_cast<Index>(points.size() / 3); }
  Index cells() const {
    Index count = 0;
    for (const CellBlock& block : blocks) count += block.cells();
    return count;
  }
  const double* point(Index node) const { return points.data() + 3 * static_cast<std::size_t>(node); }
  /// The group, or else the entity, of that name; nullptr when there is none.
  const Group* group(const std::string& name, int dim) const;
  /// Block that holds cell `cell` (number over all blocks).
  const CellBlock& block_of(Index cell) const;
};

/// Calls visit(group) for each group and then for each entity: for whatever keeps both up with the mesh.
template <class AnyMesh, class Visit>
void for_each_group(AnyMesh& mesh, Visit visit) {
  for (auto& group : mesh.groups) visit(group);
  for (auto& entity : mesh.entities) visit(entity);
}

}  // namespace tessera::mesh
