#include "physics/conservation/implicit_ops_impl.hpp"

namespace tessera::physics::conservation {
TESSERA_INSTANTIATE_IMPLICIT_OPS(Threads);
}  // namespace tessera::physics::conservation
