#include "linalg/shift_ops_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_SHIFT_OPS(Threads);
}  // namespace tessera::linalg
