#include "physics/reaction_diffusion/rate_systems_impl.hpp"

namespace tessera::physics::reaction_diffusion {
template std::unique_ptr<solvers::ReactionStep<Cuda>> make_rate_systems(Cuda&, const Rates&, const std::vector<double>&,
                                                                        const solvers::OdeOptions&);
}  // namespace tessera::physics::reaction_diffusion
