#include "physics/reaction_diffusion/reactions_impl.hpp"

namespace tessera::physics::reaction_diffusion {
template std::unique_ptr<solvers::ReactionStep<Cuda>> make_reactions(Cuda&, const Params&, const Discretisation&);
}  // namespace tessera::physics::reaction_diffusion
