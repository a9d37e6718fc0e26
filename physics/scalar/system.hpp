#pragma once
// A linear system on a backend, and what every module does with it.
#include <memory>

#include "assembly/matrix_free/operator.hpp"
#include "forms/robin.hpp"
#include "linalg/operator.hpp"
#include "output/summary.hpp"
#include "physics/scalar/problem.hpp"

namespace tessera::physics::scalar {

/// A (u - level) = b with the boundary conditions in it. Not movable: the operator may borrow the matrix.
template <class Exec>
struct System {
  using Space = typename Exec::Space;
  double level = 0;           ///< u minus this is what A and b are for
  linalg::Crs<Space> matrix;  ///< empty where the operator keeps entries of its own, or none
  std::unique_ptr<linalg::Operator<Exec>> A;
  Array<double, Space> b;
  Offset nnz = 0;  ///< 0 where nothing is assembled

  System() = default;
  System(const System&) = delete;
};

/// alpha and value of a condition at the points of its facets, with the weight 2 pi r on a mesh with an axis. Borrows
/// the group of `term`. Throws as boundary_data.
assembly::FacetIntegral facet_integral(const FacetTerm& term, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                       int threads);

/// A (u - level) = b as a system of u: b + level A 1.
LinearSystem of_u(linalg::Crs<Host> A, Array<double> b, double level);

/// The boundary conditions with their data at the facet points. Throws Error(usage) where a value is not finite or alpha is negative.
assembly::BoundaryData boundary_data(const Problem& problem, int threads);
/// The same for u - level: values less the level, those of Robin terms less level alpha.
assembly::BoundaryData below(assembly::BoundaryData data, double level);

}  // namespace tessera::physics::scalar
