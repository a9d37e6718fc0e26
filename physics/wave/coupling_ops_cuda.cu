#include "physics/wave/coupling_ops_impl.hpp"

namespace tessera::physics::wave {
TESSERA_INSTANTIATE_COUPLING_OPS(Cuda, double);
TESSERA_INSTANTIATE_COUPLING_OPS(Cuda, float);
}  // namespace tessera::physics::wave
