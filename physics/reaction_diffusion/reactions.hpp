#pragma once
#include <memory>

#include "physics/reaction_diffusion/params.hpp"

namespace tessera::physics::reaction_diffusion {

/// The reactions of the deck at the nodes that this rank owns. Throws Error(usage) for parameters and methods that it
/// cannot have.
template <class Exec>
std::unique_ptr<solvers::ReactionStep<Exec>> make_reactions(Exec& exec, const Params& params,
                                                            const Discretisation& space);

}  // namespace tessera::physics::reaction_diffusion
