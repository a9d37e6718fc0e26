#include "linalg/ghost_product_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_GHOST_PRODUCT(Cuda, double);
TESSERA_INSTANTIATE_GHOST_PRODUCT(Cuda, float);
}  // namespace tessera::linalg
