#pragma once
// A problem whose coefficients depend on its solution, linearised at a state.
#include <span>
#include <vector>

#include "assembly/fields/field_at_points.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "forms/linearised.hpp"
#include "physics/scalar/problem.hpp"

namespace tessera::physics::scalar {

/// Whether a coefficient, a source or a boundary value depends on u or its gradient.
bool is_nonlinear(const Params& params);

/// What the derivative of -div(k grad u) + c u - f is like, from the expressions alone.
struct TangentTraits {
  bool of_u = false;         ///< k depends on u: values of du stand beside gradients of test functions
  bool of_gradient = false;  ///< k depends on grad u: between gradients there is a matrix
  bool carries = false;      ///< c or f depends on grad u: gradients of du stand beside values
  /// Whether it is symmetric: what depends on grad u does so as the derivative of an energy.
  bool symmetric = true;
};
/// `dim`: of the mesh, 0 where it is not known yet. Symmetry is a matter of formulas: it is looked for at places and
/// states by chance, and found where it holds at all of them to rounding. `picard`: see Linearisation.
TangentTraits tangent_traits(const std::vector<MaterialParams>& materials, int dim, bool picard);

/// What forms::Linearised takes, as expressions of place, time, u and its gradient that a backend evaluates: what
/// Linearisation::tangent is without `picard`, and with a load of 1, or without `with_tangent` what its residual is.
/// Asks that k is positive definite; without a tangent what is not finite is named as the deck has it. Borrows the
/// materials.
assembly::ExpressionData linearised_expressions(const std::vector<MaterialParams>& materials, int dim,
                                                bool with_tangent);

/// Flux k grad u, reaction c u - load f, boundary terms alpha u - load g, and their derivatives. With `picard` those of
/// k, c and alpha are left out, and of f and g all but what falls as u grows, which leaves the matrix of a linear
/// problem: symmetric, and no less definite than that of k, c and alpha (S. V. Patankar, Numerical Heat Transfer and
/// Fluid Flow, 1980, section 4.2-5). `load` is the factor of sources and of values on boundaries. Weights 2 pi r are
/// those of diffusion_data.
class Linearisation {
 public:
  Linearisation(const Problem& problem, bool picard);
  ~Linearisation();

  /// The expressions of the problem have become others, those of another time, which depend on what they did.
  void take_data();

  /// The load of forms::Linearised alone: minus flux and reaction. Throws Error(usage) where a value is not finite or k
  /// not positive definite.
  forms::LinearisedData residual(std::span<const double> u, double load) const;
  /// All of it.
  forms::LinearisedData tangent(std::span<const double> u, double load) const;
  /// alpha and g of the residual g - alpha u, for each of Problem::facets. Throws Error(usage) where a value is not
  /// finite or alpha is negative.
  std::vector<assembly::FacetIntegral> facet_residuals(std::span<const double> u, double load) const;
  /// The derivative of alpha u - g.
  std::vector<assembly::FacetIntegral> facet_tangents(std::span<const double> u, double load) const;
  /// Adds those residuals to r [dofs].
  void add_facet_residuals(std::span<const double> u, double load, std::vector<double>& r) const;

 private:
  struct Expressions;
  forms::LinearisedData at(std::span<const double> u, double load, bool with_tangent) const;

  const Problem& problem_;
  TangentTraits traits_;
  assembly::QuadraturePoints points_;
  assembly::FieldAtPoints field_;
  bool picard_;
  std::unique_ptr<const Expressions> expressions_;
};

}  // namespace tessera::physics::scalar
