#include "linalg/row_walk_cuda.cuh"
#include "solvers/amg/strength_impl.hpp"

namespace tessera::solvers::amg {
TESSERA_INSTANTIATE_STRENGTH(Cuda);
}
