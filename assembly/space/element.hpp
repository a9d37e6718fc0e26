#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::assembly {

inline constexpr int max_order = 8;          ///< of interval, quad and hex
inline constexpr int max_simplex_order = 4;  ///< of triangle, tet and prism

/// Where the nodes of the element of an interval lie, and with them those of quads and hexes.
enum class LineNodes : std::uint8_t {
  standard,  ///< equispaced to order 4, those of Gauss and Lobatto above
  lobatto,   ///< those of Gauss and Lobatto at every order, as spectral elements have them: no simplex has such a part
};

/// Lagrange element on Gmsh's reference cell: [-1,1]^d for interval, quad and hex; the unit simplex
/// for triangle and tet; unit triangle x [-1,1] for prism; a single node without coordinates for point.
/// Nodes are equispaced to order 4 and those of Gauss and Lobatto above, where equispaced ones would spoil the
/// conditioning; or those of Gauss and Lobatto at every order (LineNodes).
///
/// Local node order: vertices (Gmsh), then edges in mesh::topology order, each from its first to its second vertex,
/// then the interiors of 2-D faces of 3-D cells (in the frame of the face's vertices), then the interior of the cell.
/// For order 2 this is Gmsh's node order, so the same element describes geometry.
///
/// Every shape is a product of simplices, so with its barycentric coordinates l_b (affine in the point)
///   phi_n = prod_b S_{m_nb}(order * l_b),   S_m(s) = prod_{j<m} (s - j) / (j + 1)        (Silvester's polynomials)
/// where m_nb is the integer lattice position of node n. Where nodes are not equispaced it is the product of the lines'
/// Lagrange polynomials.
struct Element {
  mesh::Shape shape = mesh::Shape::point;
  int order = 1;
  int nodes = 1;
  int dim = 0;
  bool equispaced = true;
  std::vector<double> node_points;  ///< [nodes, dim]
  std::vector<double> line_nodes;   ///< [order + 1] of the interval of this order, ascending
  int barycentrics = 0;
  std::vector<std::array<std::int8_t, 6>> lattice;  ///< [nodes][barycentrics]
  /// Nodes inside edge e: edge_first[e] .. edge_first[e+1]; none for intervals, whose inside is the cell's.
  std::vector<int> edge_first;
  /// Nodes inside 2-D face f of a 3-D cell: face_first[f] .. face_first[f+1].
  std::vector<int> face_first;
  int interior_first = 0;  ///< nodes inside the cell: interior_first .. nodes

  int interior() const { return nodes - interior_first; }
};

/// 8, or 4 on shapes with a simplex in them.
int largest_order(mesh::Shape shape);

/// The element of a shape; order 1 to largest_order(shape). Built once, kept for the whole run; safe to call from any
/// thread. Throws Error(usage) for another order, and for lobatto nodes on shapes with a simplex in them.
const Element& lagrange(mesh::Shape shape, int order, LineNodes nodes = LineNodes::standard);

/// Basis functions and their reference gradients at points [n, dim] (n = 1 for shape point).
/// phi: [n, nodes]; dphi: [n, nodes, dim]; both row-major, resized.
void tabulate(const Element& element, std::span<const double> points, std::vector<double>& phi,
              std::vector<double>& dphi);

/// Lagrange polynomials of distinct nodes and their derivatives at x; phi and dphi have room for one each a node.
void tabulate_line(std::span<const double> nodes, double x, double* phi, double* dphi);

/// [nodes, dim]: the equispaced lattice in the element's node order, which formats like VTK's assume.
std::vector<double> equispaced_points(const Element& element);

/// Coordinates of the reference cell's vertices, [vertices, dim].
std::span<const double> reference_vertices(mesh::Shape shape);

/// Points [n, facet dim] of the reference facet `side`, as points [n, dim] of the reference cell. In 1-D the facet is a
/// vertex: n = 1.
std::vector<double> facet_to_cell(mesh::Shape shape, int side, std::span<const double> facet_points);

/// Normal of side `side` of the reference cell, outward, its length the ratio of the facet's measure in the cell to
/// that of the reference facet. With J = dx/dX of a cell:  n dS = |det J| J^-T (this) dS_ref  (Nanson).
std::array<double, 3> reference_normal(mesh::Shape shape, int side);

/// Local nodes of an element on a side, in the order of lagrange(facet shape, order) in the frame of the facet's
/// vertices. Kept for the whole run.
const std::vector<int>& facet_local_dofs(mesh::Shape shape, int order, int side);

}  // namespace tessera::assembly
