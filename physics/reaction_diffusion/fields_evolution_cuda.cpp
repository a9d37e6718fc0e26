#include "physics/reaction_diffusion/fields_evolution_impl.hpp"

namespace tessera::physics::reaction_diffusion {
template std::unique_ptr<Evolution<Cuda>> make_evolution(Cuda&, std::vector<FieldProblem>, const scalar::Storage&, bool,
                                                         output::Summary&);
}  // namespace tessera::physics::reaction_diffusion
