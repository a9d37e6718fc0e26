#include "linalg/split_ghosts_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_SPLIT_GHOSTS(Cuda);
}  // namespace tessera::linalg
