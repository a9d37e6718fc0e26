#include "physics/conservation/implicit_ops_impl.hpp"

namespace tessera::physics::conservation {
TESSERA_INSTANTIATE_IMPLICIT_OPS(Cuda);
}  // namespace tessera::physics::conservation
