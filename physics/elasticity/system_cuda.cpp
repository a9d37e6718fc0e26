#include "physics/elasticity/system_impl.hpp"

namespace tessera::physics::elasticity {
template void make_system(Cuda&, const Problem&, System<Cuda>&, output::Summary&);
}  // namespace tessera::physics::elasticity
