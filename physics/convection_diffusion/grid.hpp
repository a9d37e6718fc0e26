#pragma once
// Central differences on a rectangle: the deck as arrays over the grid.
#include "linalg/crs.hpp"
#include "physics/convection_diffusion/params.hpp"
#include "physics/grid/box_grid.hpp"
#include "physics/grid_method.hpp"

namespace tessera::physics::convection_diffusion {

using namespace grid;

/// lap u - f u_x - g u_y - c u = s on the nodes of a rectangle without Dirichlet data: the deck divided by -k.
///
/// On a side where du/dn = q is given (q = 0 of an outflow), the node beyond it is eliminated: u_out = u_in + 2 h q.
/// What is left, (2 u_in - 2 u + 2 h q) / h^2 - +-f q, has the weights of central differences for f = +-2/h, none of
/// them outside. So such a node is one like all others, with that f and with source -2 q/h +- f q: second order, and
/// no solver knows of sides.
struct Grid {
  BoxGrid nodes;               ///< sizes, spacings, coordinates
  NodeRange unknowns;          ///< the nodes inside, and those of sides without Dirichlet data
  std::array<int, 2> mirrors;  ///< sides without Dirichlet data of each axis
  double reaction = 0;         ///< c
  Array<double> f, g, source;  ///< [m1 m0] at the unknowns, x fastest
  Array<double> u;             ///< [m1 + 2, m0 + 2]: 0, Dirichlet data around it
  double level = 0;            ///< of the Dirichlet data: see level_of
  double cell_peclet = 0;      ///< largest of |h f / 2| and |k g / 2| of the equation

  Index m(int axis) const { return unknowns.count[axis]; }
  Offset size() const { return Offset{m(0)} * m(1); }
};

/// u at all nodes of the rectangle.
std::vector<double> at_nodes(const Grid& grid);

/// Throws Error(usage) that names what is no such grid, at its place in the deck: a mesh that is not a box in 2-D,
/// order > 1, several materials, k that varies or is a tensor, a reaction beside a relaxation, a side with a Robin
/// condition, no side with Dirichlet data and no reaction; and where a value is not finite. `params` must have its
/// defaults filled in.
Grid make_grid(const deck::Deck& deck, const Params& params);

/// The five-point matrix of -(lap u - f u_x - g u_y - c u) on the unknowns, and the right side with the rim in it, of
/// u - level.
LinearSystem make_grid_system(const Grid& grid);

/// Relaxation, or a Krylov or direct solver with the five-point matrix. `params` outlives the method.
std::unique_ptr<GridMethod> make_grid_method(const deck::Deck& deck, const Params& params);

}  // namespace tessera::physics::convection_diffusion
