#include "physics/reaction_diffusion/fields_evolution_impl.hpp"

namespace tessera::physics::reaction_diffusion {
template std::unique_ptr<Evolution<Threads>> make_evolution(Threads&, std::vector<FieldProblem>, const scalar::Storage&,
                                                            bool, output::Summary&);
}  // namespace tessera::physics::reaction_diffusion
