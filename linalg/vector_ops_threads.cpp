#include "linalg/vector_ops_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_VECTOR_OPS(Threads, double);
TESSERA_INSTANTIATE_VECTOR_OPS(Threads, float);
TESSERA_INSTANTIATE_MIXED_VECTOR_OPS(Threads);
}  // namespace tessera::linalg
