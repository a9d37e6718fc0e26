#include "linalg/discrete_upwinding_impl.hpp"

namespace tessera::linalg {
template void add_discrete_upwinding<Cuda>(Cuda&, Crs<Cuda::Space>&);
}  // namespace tessera::linalg
