#include "physics/convection_diffusion/system_impl.hpp"

namespace tessera::physics::convection_diffusion {

template void make_system(Cuda&, const Params&, const Problem&, System<Cuda>&, output::Summary&);

}  // namespace tessera::physics::convection_diffusion
