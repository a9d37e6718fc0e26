#pragma once
// The boundary conditions of a problem as assemblies take them.
#include "assembly/matrix_free/operator.hpp"
#include "forms/robin.hpp"
#include "physics/forms/convection_data.hpp"
#include "physics/scalar/problem.hpp"

namespace tessera::physics::scalar {

/// Whether the backend evaluates coefficients that vary where it assembles. Threads borrow those of the host; what
/// carries the weight of an axis is made there, too.
template <class Exec>
bool evaluates_coefficients(const mesh::Mesh& mesh) {
  return !std::is_same_v<Exec, Threads> && !mesh.measure.weighs();
}

/// alpha and value of a condition at the points of its facets, with the weight 2 pi r on a mesh with an axis. u [dofs]:
/// the solution that they may depend on. Borrows the group of `term`. Throws as boundary_data.
assembly::FacetIntegral facet_integral(const FacetTerm& term, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                       int threads, std::span<const double> u = {});

/// Those of all conditions of the problem, or of those that are in its operator. Throws as boundary_data.
std::vector<assembly::FacetIntegral> facet_integrals(const Problem& problem, int threads, bool with_loads = true);

/// The boundary conditions with their data at the facet points, and the matrices of contacts. Throws Error(usage) where
/// a value is not finite, or alpha or a conductance negative.
assembly::BoundaryData boundary_data(const Problem& problem, int threads, bool with_loads = true);
/// Where a model adds them to a matrix whose pattern has Problem::couplings: the terms of contacts.
template <class Exec>
void add_contacts(Exec& exec, const assembly::BoundaryData& boundary, linalg::Crs<typename Exec::Space>& A) {
  if (!boundary.terms.shapes.empty()) assembly::add_entries(exec, assembly::entries_of(boundary.terms), A);
}
/// The same for u - level: values less the level, those of Robin terms less level alpha.
assembly::BoundaryData below(assembly::BoundaryData data, double level);

/// What these coefficients take where they are at quadrature points.
AtPoints at_points(const forms::ConvectionData& data);

}  // namespace tessera::physics::scalar
