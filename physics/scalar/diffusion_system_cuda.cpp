#include "physics/scalar/diffusion_system_impl.hpp"

namespace tessera::physics::scalar {

template std::optional<forms::CellSums> make_diffusion_system(Cuda&, const Problem&, System<Cuda>&, output::Summary&);

}  // namespace tessera::physics::scalar
