#include "linalg/block_diagonal_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_BLOCK_DIAGONAL(Cuda, double);
TESSERA_INSTANTIATE_BLOCK_DIAGONAL(Cuda, float);
}  // namespace tessera::linalg
