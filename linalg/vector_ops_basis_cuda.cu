#include "linalg/vector_ops_basis_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_BASIS_OPS(Cuda, double);
TESSERA_INSTANTIATE_BASIS_OPS(Cuda, float);
}  // namespace tessera::linalg
