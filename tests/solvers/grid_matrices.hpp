#pragma once
// Matrices of grid problems, put together from Kronecker products of one-dimensional ones: the reference of the
// matrix-free code.
#include <vector>

#include "solvers/grid/fast_poisson.hpp"
#include "support/matrices.hpp"

namespace tessera::testing {

using solvers::grid::GridProblem;
using solvers::grid::Stencil;

inline Index unknowns(const GridProblem& p) { return static_cast<Index>(p.unknowns()); }

/// sum over axes of K_axis x M of the others + shift M x M x M; M = 1 and K = tridiag(-1, 2, -1) / h^2 for the star.
inline HostMatrix grid_matrix(const GridProblem& p) {
  const bool star = p.stencil == Stencil::star;
  const auto stiffness = [&](int axis, Index i, Index j) {
    const double h = p.h[axis], k = star ? 1 / (h * h) : 1 / h;
    return i == j ? 2 * k : std::abs(i - j) == 1 ? -k : 0.0;
  };
  const auto mass = [&](int axis, Index i, Index j) {
    if (star || axis >= p.dim) return i == j ? 1.0 : 0.0;
    return i == j ? 4 * p.h[axis] / 6 : std::abs(i - j) == 1 ? p.h[axis] / 6 : 0.0;
  };
  HostMatrix A;
  A.rows = A.cols = unknowns(p);
  const Index nx = p.n[0], ny = p.dim > 1 ? p.n[1] : 1, nz = p.dim > 2 ? p.n[2] : 1;
  for (Index row = 0; row < A.rows; ++row) {
    const Index at[3] = {row % nx, row / nx % ny, row / nx / ny};
    for (int neighbour = 0; neighbour < 27; ++neighbour) {
      const Index to[3] = {at[0] + neighbour % 3 - 1, at[1] + neighbour / 3 % 3 - 1, at[2] + neighbour / 9 - 1};
      if (to[0] < 0 || to[0] >= nx || to[1] < 0 || to[1] >= ny || to[2] < 0 || to[2] >= nz) continue;
      const Index col = to[0] + nx * (to[1] + ny * to[2]);
      double value = p.shift;
      for (int axis = 0; axis < 3; ++axis) value *= mass(axis, at[axis], to[axis]);
      for (int axis = 0; axis < p.dim; ++axis) {
        double product = stiffness(axis, at[axis], to[axis]);
        for (int other = 0; other < 3; ++other)
          if (other != axis) product *= mass(other, at[other], to[other]);
        value += product;
      }
      if (value != 0 || row == col) A.add(col, value);
    }
    A.end_row();
  }
  return A;
}

/// Grids of one to three dimensions, with sizes 1, 2, 3, odd, even and prime, spacings that differ, both stencils, and
/// shifts from none to one that outweighs the differences.
inline std::vector<GridProblem> small_grids() {
  const std::vector<GridProblem> shapes = {
      {1, {1, 1, 1}, {0.5, 1, 1}},        {1, {2, 1, 1}, {0.25, 1, 1}},     {1, {100, 1, 1}, {0.01, 1, 1}},
      {2, {1, 1, 1}, {0.5, 0.25, 1}},     {2, {2, 3, 1}, {0.3, 0.1, 1}},    {2, {3, 2, 1}, {0.1, 0.3, 1}},
      {2, {1, 9, 1}, {0.1, 0.2, 1}},      {2, {9, 1, 1}, {0.1, 0.1, 1}},    {2, {7, 7, 1}, {0.125, 0.125, 1}},
      {2, {5, 16, 1}, {0.2, 0.02, 1}},    {2, {16, 11, 1}, {0.05, 0.1, 1}}, {2, {31, 17, 1}, {1. / 32, 1. / 18, 1}},
      {3, {1, 1, 1}, {0.5, 0.5, 0.5}},    {3, {2, 3, 4}, {0.3, 0.2, 0.1}},  {3, {7, 5, 3}, {0.1, 0.1, 0.1}},
      {3, {6, 10, 13}, {0.1, 0.05, 0.2}}, {3, {1, 5, 2}, {1, 0.1, 0.3}},
  };
  std::vector<GridProblem> result;
  for (GridProblem grid : shapes)
    for (double shift : {0.0, 3.7, 1e4})
      for (Stencil stencil : {Stencil::star, Stencil::tensor}) {
        grid.shift = shift;
        grid.stencil = stencil;
        result.push_back(grid);
      }
  return result;
}

inline std::string describe(const GridProblem& p) {
  return std::to_string(p.n[0]) + " x " + std::to_string(p.n[1]) + " x " + std::to_string(p.n[2]) +
         (p.stencil == Stencil::star ? " star" : " tensor") + ", shift " + std::to_string(p.shift);
}

}  // namespace tessera::testing
