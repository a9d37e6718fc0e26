#include "linalg/halo_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_HALO(Cuda);
}  // namespace tessera::linalg
