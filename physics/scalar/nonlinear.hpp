#pragma once
// A problem whose coefficients depend on its solution, on a backend.
#include "physics/scalar/linearisation.hpp"

namespace tessera::physics::scalar {

/// Residual and tangent of the problem by one form, forms::Linearised, in an assembled matrix. Coefficients of cells
/// are evaluated on the backend, those of facets on the host, and there too what picard's matrix, load steps and an
/// axis make of them. `deck` has t in its expressions, where `problem` is as it is at the time that the model was moved
/// to. Says in the summary which strategy was taken and why. Borrows both.
template <class Exec>
std::unique_ptr<Nonlinear<Exec>> make_nonlinear(Exec& exec, const Problem& problem, const Params& deck,
                                                output::Summary& summary);

/// Traits of a deck whose coefficients may depend on u, once it is read: what its tangent needs of a solver, and that
/// there is a matrix.
void allow_for_tangent(const Params& params, Traits& traits);
/// Throws Error(usage) where the solver takes the tangent for symmetric, which in `dim` dimensions it is not.
void check_tangent(const Params& params, int dim);

/// What the coefficients of a tangent at u take; evaluates them as make_nonlinear's problem does, for their checks.
AtPoints evaluate_tangent(const Problem& problem, std::span<const double> u);

}  // namespace tessera::physics::scalar
