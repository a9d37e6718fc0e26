#pragma once
// Central differences on a rectangle: the deck as arrays over the grid.
#include "linalg/crs.hpp"
#include "physics/convection_diffusion/params.hpp"
#include "physics/module.hpp"
#include "physics/scalar/grid.hpp"

namespace tessera::physics::convection_diffusion {

/// lap u - f u_x - g u_y - c u = s on the interior nodes of a rectangle with Dirichlet data all around: the deck divided by -k.
struct Grid {
  scalar::BoxGrid nodes;       ///< sizes, spacings, coordinates
  double reaction = 0;         ///< c
  Array<double> f, g, source;  ///< [m1 m0] at the interior nodes, x fastest
  Array<double> u;             ///< [nodes]: Dirichlet data on the rim, the start inside
  double cell_peclet = 0;      ///< largest of |h f / 2| and |k g / 2|
};

/// Throws Error(usage) that names what is no such grid, at its place in the deck: a mesh that is not a box in 2-D, order > 1, several
/// materials, k that varies or is a tensor, a reaction beside a relaxation, a side without Dirichlet data; and where a value is not
/// finite. `params` must have its defaults filled in.
Grid make_grid(const deck::Deck& deck, const Params& params);

/// The five-point matrix of -(lap u - f u_x - g u_y - c u) on the interior nodes, and its right side with the rim in it.
struct GridSystem {
  linalg::Crs<Host> A;
  Array<double> b;
};
GridSystem make_grid_system(const Grid& grid);

/// A run: relaxation, or a Krylov or direct solver with the five-point matrix. Phases: coefficients, solve, convert, post, output.
ExitCode run_on_grid(const Params& params, Context& context);
/// Prints the grid and an estimate of memory.
void check_on_grid(const Params& params, Context& context);

}  // namespace tessera::physics::convection_diffusion
