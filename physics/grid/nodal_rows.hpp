#pragma once
// What flows around the nodes of a grid: differences as they balance.
#include "physics/grid/box_grid.hpp"
#include "physics/scalar/solution.hpp"

namespace tessera::physics::grid {

/// Central differences of -div(k grad u) + v . grad u + c u = f with constant k and c at all nodes of a box, each times
/// the volume of the box of half spacings around its node, of which the sides of the domain cut off a half: then what a
/// row says of the flow to its neighbour is what the neighbour's row says of it, and the rows add up to what flows
/// through the sides. On a side with du/dn = q, or none, the row of an unknown has this q; the normal derivative of a
/// node with a Dirichlet value is one-sided, and where f or v is not finite there it is 0. `velocity`: an expression an
/// axis; empty: 0. k, c and f are those of the material of the first cell. Does not depend on the number of threads.
/// O. Axelsson, V. A. Barker, Finite Element Solution of Boundary Value Problems, section 1.5, has such boxes.
NodalRows difference_rows(const BoxGrid& grid, const Solution& solution, const std::vector<deck::Expression>& velocity);

}  // namespace tessera::physics::grid
