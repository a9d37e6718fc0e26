#include "physics/euler/constrain_impl.hpp"

namespace tessera::physics::euler {
template void constrain(Cuda&, int, const Gas&, const BoundaryNodes<Device>&, View<double>);
}  // namespace tessera::physics::euler
