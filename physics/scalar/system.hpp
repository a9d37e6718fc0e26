#pragma once
// A linear system on a backend, and what every module does with it.
#include <memory>

#include "linalg/operator.hpp"
#include "output/summary.hpp"
#include "physics/scalar/problem.hpp"

namespace tessera::physics::scalar {

/// A u = b with the boundary conditions in it. Not movable: the operator may borrow the matrix.
template <class Exec>
struct System {
  using Space = typename Exec::Space;
  linalg::Crs<Space> matrix;  ///< empty where the operator keeps entries of its own, or none
  std::unique_ptr<linalg::Operator<Exec>> A;
  Array<double, Space> b;
  Offset nnz = 0;  ///< 0 where nothing is assembled

  System() = default;
  System(const System&) = delete;
};

/// alpha of a Robin term at the facet points; empty for a Neumann term. Throws Error(usage) where it is negative.
std::vector<double> robin_alpha(const FacetTerm& term, const std::vector<double>& points, int threads);

/// Whether the solver or its preconditioner reads entries of the matrix.
bool needs_entries(const solvers::SolverParams& solver);

}  // namespace tessera::physics::scalar
