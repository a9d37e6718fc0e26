#include "physics/wave/coupling_ops_impl.hpp"

namespace tessera::physics::wave {
TESSERA_INSTANTIATE_COUPLING_OPS(Threads, double);
TESSERA_INSTANTIATE_COUPLING_OPS(Threads, float);
}  // namespace tessera::physics::wave
