#include "linalg/vector_ops_basis_impl.hpp"

namespace tessera::linalg {
TESSERA_INSTANTIATE_BASIS_OPS(Threads, double);
TESSERA_INSTANTIATE_BASIS_OPS(Threads, float);
}  // namespace tessera::linalg
