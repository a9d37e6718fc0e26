#include "linalg/row_walk_cuda.cuh"
#include "solvers/amg/shared_level_impl.hpp"

namespace tessera::solvers::amg {
TESSERA_INSTANTIATE_SHARED_LEVEL(Cuda);
}  // namespace tessera::solvers::amg
