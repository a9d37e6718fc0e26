#include "physics/scalar/evolution_impl.hpp"

namespace tessera::physics::scalar {

template std::unique_ptr<Evolution<Cuda>> make_evolution(Cuda&, const Problem&, const Params&, const Storage&,
                                                         const Storage&, output::Summary&);

}  // namespace tessera::physics::scalar
