#include "linalg/lump_impl.hpp"

namespace tessera::linalg {
template void lump<Cuda>(Cuda&, Crs<Cuda::Space>&);
}  // namespace tessera::linalg
