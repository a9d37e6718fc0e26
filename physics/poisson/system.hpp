#pragma once
// From the problem on the host to a linear system on a backend, assembled and stored as the deck asks for.
#include <memory>

#include "linalg/operator.hpp"
#include "output/summary.hpp"
#include "physics/poisson/problem.hpp"

namespace tessera::physics::poisson {

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

/// Fills `system`; says in the summary which strategy and format were taken and why. Phases: assemble.setup, coefficients,
/// assemble, boundary, convert. Throws Error(usage) where strategy, format, solver and elements do not go together.
template <class Exec>
void make_system(Exec& exec, const Problem& problem, System<Exec>& system, output::Summary& summary);

/// Whether the operator is applied without a matrix, and why.
struct Plan {
  bool matrix_free = false;
  std::string why;
};
/// Throws Error(usage) where strategy, format, solver and order do not go together.
Plan plan(const Problem& problem);

}  // namespace tessera::physics::poisson
