#pragma once
// Decks whose matrix is a stencil on a uniform grid: solved without a matrix and, but for the results, without a mesh.
#include "physics/grid/box_grid.hpp"
#include "physics/grid_method.hpp"
#include "physics/poisson/params.hpp"

namespace tessera::physics::poisson {

using namespace grid;

/// `problem` is -lap u + shift u = b on the interior nodes: the deck's discretisation divided by `scale`.
struct Grid : BoxGrid {
  double scale = 1;
  bool galerkin = true;  ///< the right-hand side is integrated, not taken at the nodes
  deck::Expression source;
};

/// Whether the deck asks for a method of grids: solver.type bcr or fft, or finite differences.
bool needs_grid(const Params& params);

/// The grid of a deck. Throws Error(usage) that names what is no grid, at its place in the deck: a mesh that is not a
/// plain box, order > 1, coefficients that vary, a tensor, a negative reaction, a reaction on linear triangles or tets
/// (their mass matrix is not a product of those of the axes), a side without Dirichlet data, choices that ask for a
/// matrix.
Grid make_grid(const deck::Deck& deck, const Params& params);

/// b of `grid.problem` for u - level on the interior nodes, what the boundary contributes in it. `u` is that of
/// boundary_values. Integrals use the quadrature of the finite elements. 8 bytes a node, and no others that grow with
/// the grid.
Array<double> right_hand_side(const Grid& grid, View<const double> u, double level, int threads);

/// The method of the deck on its grid: bcr, fft, or an iteration with the stencil. `params` outlives it.
std::unique_ptr<GridMethod> make_grid_method(const deck::Deck& deck, const Params& params);

}  // namespace tessera::physics::poisson
