#include "linalg/ghost_product_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_GHOST_PRODUCT(Threads, double);
TESSERA_INSTANTIATE_GHOST_PRODUCT(Threads, float);
}  // namespace tessera::linalg
