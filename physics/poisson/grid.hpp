#pragma once
// Decks whose matrix is a stencil on a uniform grid: solved without a matrix and, but for the results, without a mesh.
#include <array>
#include <vector>

#include "base/array.hpp"
#include "mesh/mesh.hpp"
#include "physics/poisson/params.hpp"
#include "solvers/grid/fast_poisson.hpp"

namespace tessera::physics::poisson {

/// The grid of a box with Dirichlet data all around.
struct Grid {
  /// -lap u + shift u = b on the interior nodes. It is the deck's discretisation divided by `scale`.
  solvers::grid::GridProblem problem;
  double scale = 1;
  mesh::BoxParams box;                  ///< with the refinements in `cells`
  std::array<Index, 3> nodes{1, 1, 1};  ///< of an axis, the boundary included
  bool galerkin = true;                 ///< the right-hand side is integrated, not taken at the nodes
  deck::Expression source;

  Offset node_count() const { return Offset{nodes[0]} * nodes[1] * nodes[2]; }
  /// Coordinate of node i of an axis; the same number as in the mesh of the box.
  double coordinate(int axis, Offset i) const;
};

/// Whether the deck asks for a method of grids: solver.type bcr or fft, or finite differences.
bool needs_grid(const Params& params);

/// The grid of a deck. Throws Error(usage) that names what is no grid, at its place in the deck: a mesh that is not a plain box,
/// order > 1, coefficients that vary, a tensor, a negative reaction, a reaction on linear triangles or tets (their mass matrix
/// is not a product of those of the axes), a side without Dirichlet data, choices that ask for a matrix.
Grid make_grid(const deck::Deck& deck, const Params& params);

/// Sizes, spacings and nodes of a box mesh with its refinements. Throws Error(mesh) for more nodes than 32-bit numbers count.
Grid make_nodes(const mesh::MeshParams& mesh);

/// The box with one cell an axis: groups, sides and corners of the grid's mesh, for checks by name.
mesh::Mesh outline(const Grid& grid);

/// u on all nodes: Dirichlet values on the sides, 0 inside. Where sides meet, the later entry of the deck holds.
Array<double> boundary_values(const Params& params, const Grid& grid, int threads);

/// b of `grid.problem` on the interior nodes, what the boundary contributes in it. `u` is that of boundary_values.
/// Integrals use the quadrature of the finite elements. 8 bytes a node, and no others that grow with the grid.
Array<double> right_hand_side(const Grid& grid, View<const double> u, int threads);

/// Copies the interior nodes into `u`.
void insert_interior(const Grid& grid, View<const double> interior, View<double> u);

}  // namespace tessera::physics::poisson
