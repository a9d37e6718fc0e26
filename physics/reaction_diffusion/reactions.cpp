#include "physics/reaction_diffusion/reactions_impl.hpp"

namespace tessera::physics::reaction_diffusion {
template std::unique_ptr<solvers::ReactionStep<Threads>> make_reactions(Threads&, const Params&, const Discretisation&);
}  // namespace tessera::physics::reaction_diffusion
