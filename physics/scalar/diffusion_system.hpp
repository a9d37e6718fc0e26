#pragma once
// From the problem on the host to a linear system on a backend.
#include "physics/scalar/params.hpp"
#include "physics/scalar/solution.hpp"

namespace tessera::physics::scalar {

/// Fills `system`; says in the summary which strategy was taken and why. Phases: assemble.setup, coefficients,
/// assemble, boundary. On CUDA coefficients are evaluated there. Returns the sums of the balance over all cells where
/// they are known without the solution. Throws Error(usage) where strategy, format, solver and elements do not go
/// together.
template <class Exec>
std::optional<forms::CellSums> make_diffusion_system(Exec& exec, const Problem& problem, System<Exec>& system,
                                                     output::Summary& summary);

/// What the rows of make_diffusion_system say.
WeakForm diffusion_form();

}  // namespace tessera::physics::scalar
