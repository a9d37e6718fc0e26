#include "linalg/shift_ops_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_SHIFT_OPS(Cuda);
}  // namespace tessera::linalg
