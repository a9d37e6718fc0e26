#include "linalg/halo_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_HALO(Threads);
}  // namespace tessera::linalg
