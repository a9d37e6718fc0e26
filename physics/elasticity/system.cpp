#include "physics/elasticity/system_impl.hpp"

namespace tessera::physics::elasticity {

template void make_system(Threads&, const Problem&, System<Threads>&, output::Summary&);

}  // namespace tessera::physics::elasticity
