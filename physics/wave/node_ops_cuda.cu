#include "physics/wave/node_ops_impl.hpp"

namespace tessera::physics::wave {
TESSERA_INSTANTIATE_NODE_OPS(Cuda, double);
TESSERA_INSTANTIATE_NODE_OPS(Cuda, float);
}  // namespace tessera::physics::wave
