#pragma once
// A problem whose coefficients depend on its solution, on a backend.
#include "physics/scalar/linearisation.hpp"

namespace tessera::physics::scalar {

/// Residual and tangent of the problem by one form, forms::Linearised, in an assembled matrix. Coefficients are
/// evaluated on the host. Says in the summary which strategy was taken and why. Borrows the problem.
template <class Exec>
std::unique_ptr<Nonlinear<Exec>> make_nonlinear(Exec& exec, const Problem& problem, output::Summary& summary);

/// What the coefficients of a tangent at u take; evaluates them as make_nonlinear's problem does, for their checks.
AtPoints evaluate_tangent(const Problem& problem, std::span<const double> u);

}  // namespace tessera::physics::scalar
