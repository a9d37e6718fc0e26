#include "physics/convection_diffusion/system_impl.hpp"

namespace tessera::physics::convection_diffusion {

template void make_system(Threads&, const Params&, const Problem&, System<Threads>&, output::Summary&);

}  // namespace tessera::physics::convection_diffusion
