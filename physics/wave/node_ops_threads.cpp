#include "physics/wave/node_ops_impl.hpp"

namespace tessera::physics::wave {
TESSERA_INSTANTIATE_NODE_OPS(Threads, double);
TESSERA_INSTANTIATE_NODE_OPS(Threads, float);
}  // namespace tessera::physics::wave
