#include "linalg/vector_ops_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_VECTOR_OPS(Threads);
}  // namespace tessera::linalg
