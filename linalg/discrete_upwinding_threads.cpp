#include "linalg/discrete_upwinding_impl.hpp"

namespace tessera::linalg {
template void add_discrete_upwinding<Threads>(Threads&, Crs<Threads::Space>&);
}  // namespace tessera::linalg
