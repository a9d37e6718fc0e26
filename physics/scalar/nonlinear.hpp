#pragma once
// A problem whose coefficients depend on its solution, on a backend.
#include "physics/scalar/linearisation.hpp"

namespace tessera::physics::scalar {

/// Residual and tangent of the problem by one form, forms::Linearised, in an assembled matrix. Coefficients are
/// evaluated on the host. Says in the summary which strategy was taken and why. Borrows the problem.
template <class Exec>
std::unique_ptr<Nonlinear<Exec>> make_nonlinear(Exec& exec, const Problem& problem, output::Summary& summary);

/// Traits of a deck whose coefficients may depend on u, once it is read: what its tangent needs of a solver, and that
/// there is a matrix.
void allow_for_tangent(const Params& params, Traits& traits);
/// Throws Error(usage) where the solver takes the tangent for symmetric, which in `dim` dimensions it is not.
void check_tangent(const Params& params, int dim);

/// What the coefficients of a tangent at u take; evaluates them as make_nonlinear's problem does, for their checks.
AtPoints evaluate_tangent(const Problem& problem, std::span<const double> u);

}  // namespace tessera::physics::scalar
