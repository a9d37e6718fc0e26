#pragma once
// Axisymmetric problems: the plane problem of half of a section with coefficients times 2 pi r
// (docs/methods/poisson.md, "Axisymmetric problems").
#include <span>
#include <vector>

#include "assembly/space/quadrature_points.hpp"
#include "forms/diffusion.hpp"
#include "physics/scalar/problem.hpp"

namespace tessera::physics::scalar {

/// Multiplies a coefficient by the weight of the mesh at its quadrature points; it is per_point then. Nothing is done
/// without an axis, or to an empty coefficient. threads 0: all.
void weigh(forms::Coefficient& coefficient, const std::vector<Index>& region, const mesh::Mesh& mesh,
           const assembly::QuadraturePoints& points, int threads);

/// The same for values [count, components] at points [count, 3].
void weigh(std::vector<double>& values, std::span<const double> points, const mesh::Measure& measure);

/// What has no meaning on the axis. Throws Error(usage) where a Neumann or Robin condition, or an average, is asked for
/// on facets that all lie on it: they have no area. Warns of Dirichlet values there.
void check_on_axis(const Problem& problem);

/// Throws Error(usage) where periodic sides join vertices at different distances from the axis. `same`: of
/// periodic_vertices.
void check_periodic_distances(const std::vector<BoundaryParams>& periodic, const mesh::Mesh& mesh,
                              const std::vector<Index>& same);

}  // namespace tessera::physics::scalar
