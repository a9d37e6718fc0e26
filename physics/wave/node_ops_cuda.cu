#include "physics/wave/node_ops_impl.hpp"

namespace tessera::physics::wave {
TESSERA_INSTANTIATE_NODE_OPS(Cuda);
}  // namespace tessera::physics::wave
