#include "solvers/amg/node_ops_impl.hpp"
#include "solvers/amg/node_product_cuda.cuh"

namespace tessera::solvers::amg {
TESSERA_INSTANTIATE_NODE_CYCLE(Cuda, float);
TESSERA_INSTANTIATE_NODE_CYCLE(Cuda, double);
}  // namespace tessera::solvers::amg
