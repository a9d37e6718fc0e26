#include "linalg/vector_ops_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_VECTOR_OPS(Cuda, double);
TESSERA_INSTANTIATE_VECTOR_OPS(Cuda, float);
TESSERA_INSTANTIATE_MIXED_VECTOR_OPS(Cuda);
}  // namespace tessera::linalg
